package io.forebay.e2e;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/**
 * One cluster with the product on it for all tests of this process; ended with it. Where there can be none each test is left out by itself, so that the
 * report has the reason.
 */
final class ProductExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(ProductExtension.class);

    /** Either the product, or why there is none: asked once. */
    private record Outcome(Product product, TestAbortedException absent) implements AutoCloseable {
        static Outcome of() {
            try {
                var cluster = Cluster.assumed();
                try {
                    return new Outcome(Product.install(cluster), null);
                } catch (RuntimeException | Error e) {
                    cluster.close();
                    throw e;
                }
            } catch (TestAbortedException e) {
                return new Outcome(null, e);
            }
        }

        @Override
        public void close() {
            if (product != null) {
                product.cluster().close();
            }
        }
    }

    private static Product product(ExtensionContext context) {
        var outcome =
                context.getRoot().getStore(SPACE).computeIfAbsent(Outcome.class, k -> Outcome.of(), Outcome.class);
        if (outcome.absent() != null) {
            throw outcome.absent();
        }
        return outcome.product();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Product.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return product(context);
    }
}
