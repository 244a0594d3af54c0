package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;

/** Calls of one SDK client, which is made for the first of them: many a run needs none. Faults are classified. Thread-safe. */
final class SdkCalls implements AutoCloseable {
    private final Supplier<S3Client> maker;
    private final Semaphore permits;
    private final S3Errors errors;
    /** Guarded by this. */
    private @Nullable S3Client client;

    /** @param permits bounds the connections: the SDK's client opens one for each call that finds no idle one */
    SdkCalls(Supplier<S3Client> maker, Semaphore permits, S3Errors errors) {
        this.maker = maker;
        this.permits = permits;
        this.errors = errors;
    }

    <T> T call(Operation operation, String key, Function<S3Client, T> call)
            throws StoreException, InterruptedException {
        permits.acquire();
        try {
            return call.apply(client());
        } catch (SdkException e) {
            throw errors.ofSdk(operation, key, e);
        } finally {
            permits.release();
        }
    }

    /** For who bounds and classifies its calls itself. */
    synchronized S3Client client() {
        var known = client;
        if (known == null) {
            known = maker.get();
            client = known;
        }
        return known;
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            client.close();
        }
    }
}
