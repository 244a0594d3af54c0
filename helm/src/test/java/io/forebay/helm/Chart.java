package io.forebay.helm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The chart in the sources, and what Helm makes of it. */
final class Chart {
    /** Surefire runs a module's tests in its folder. */
    static final Path FOLDER = Path.of("forebay").toAbsolutePath();

    static final String NAMESPACE = "forebay-system";

    /** The oldest that the chart is for. */
    private static final String KUBERNETES = "1.29.0";

    private static final ObjectMapper JSON = new ObjectMapper();

    private Chart() {}

    static Path file(String name) {
        return FOLDER.resolve(name);
    }

    static String text(String name) {
        try {
            return Files.readString(file(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All that {@code helm template} prints, hooks included. */
    static Rendered rendered(Helm helm, String... words) {
        var result = helm.run(line(words));
        if (result.exit() != 0) {
            throw new AssertionError("helm template: " + result.output());
        }
        return new Rendered(documents(result.output()));
    }

    /** What {@code helm template} says where it refuses. */
    static String refusal(Helm helm, String... words) {
        var result = helm.run(line(words));
        if (result.exit() == 0) {
            throw new AssertionError("not refused: " + String.join(" ", words));
        }
        return result.output();
    }

    static List<JsonNode> documents(String yaml) {
        var parser = new Yaml(new SafeConstructor(new LoaderOptions()));
        return StreamSupport.stream(parser.loadAll(yaml).spliterator(), false)
                .filter(document -> document != null)
                .map(document -> (JsonNode) JSON.valueToTree(document))
                .toList();
    }

    /** A Helm that was built by "go install" does not know which Kubernetes it belongs to, and takes 1.20. */
    private static String[] line(String... words) {
        var line = new ArrayList<>(List.of(
                "template", "forebay", FOLDER.toString(), "--namespace", NAMESPACE, "--kube-version", KUBERNETES));
        line.addAll(List.of(words));
        return line.toArray(String[]::new);
    }
}
