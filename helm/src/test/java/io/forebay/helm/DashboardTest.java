package io.forebay.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A dashboard that asks for figures nobody serves shows nothing, and says nothing. */
class DashboardTest {
    private static final Pattern OURS = Pattern.compile("forebay_[a-z_]+");
    private static final Path SOURCES = Chart.FOLDER.resolve("../..").normalize();

    @Test
    void asksOnlyForFiguresThatAreServed() throws IOException {
        var asked = new TreeSet<String>();
        for (var expression : expressions()) {
            OURS.matcher(expression).results().forEach(found -> asked.add(found.group()));
        }
        var served =
                Files.readString(SOURCES.resolve("sidecar/src/main/java/io/forebay/sidecar/apart/MetricsText.java"))
                        + sources(SOURCES.resolve("operator/src/main/java"));

        assertThat(asked)
                .isNotEmpty()
                .allSatisfy(name ->
                        assertThat(served).containsAnyOf("\"" + name + "\"", "\"" + name.replace('_', '.') + "\""));
    }

    private static List<String> expressions() throws IOException {
        var dashboard = new ObjectMapper().readTree(Chart.text("files/dashboard.json"));
        var found = new TreeSet<String>();
        dashboard.findValues("expr").forEach(e -> found.add(e.asText()));
        dashboard
                .at("/templating/list")
                .forEach(variable -> found.add(variable.path("query").asText()));
        assertThat(dashboard.at("/panels"))
                .extracting(panel -> panel.path("id"))
                .doesNotHaveDuplicates();
        return List.copyOf(found);
    }

    private static String sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            var text = new StringBuilder();
            for (var file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                text.append(Files.readString(file));
            }
            return text.toString();
        }
    }
}
