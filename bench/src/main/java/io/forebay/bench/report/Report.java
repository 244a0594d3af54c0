package io.forebay.bench.report;

import io.forebay.bench.work.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes the measured part of {@code docs/benchmarks.md}, between two marks, and its plot; what people wrote around it stays. */
public final class Report {
    private static final String BEGIN = "<!-- written by bench/run: begin -->";
    private static final String END = "<!-- written by bench/run: end -->";

    private Report() {}

    /** @param docs the folder {@code docs} of the checkout */
    public static void write(Path docs, List<Outcome> outcomes, Map<String, String> versions) throws IOException {
        Files.createDirectories(docs.resolve("benchmarks"));
        Files.writeString(docs.resolve("benchmarks/side-by-side.svg"), BarChart.of(outcomes));
        var page = docs.resolve("benchmarks.md");
        var text = Files.exists(page) ? Files.readString(page) : "# Benchmarks\n\n" + BEGIN + "\n" + END + "\n";
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(
                    page + " has no place for what is measured: a line '" + BEGIN + "' and a line '" + END + "'");
        }
        var part = String.join("\n", part(outcomes, versions));
        Files.writeString(page, text.substring(0, begin) + BEGIN + "\n" + part + "\n" + text.substring(end));
    }

    private static List<String> part(List<Outcome> outcomes, Map<String, String> versions) throws IOException {
        var lines = new ArrayList<String>();
        lines.add("");
        lines.add("Measured " + LocalDate.now(ZoneOffset.UTC) + " by `bench/run` on " + machine()
                + ". Every contender is a whole process, start included, in turn; seconds, CPU seconds and memory are medians; the ratio is Forebay's"
                + " time over the other's within one round, its geometric mean with the 95 % interval. A goal is met when the upper end is below it."
                + " Every result was compared with its source byte for byte.");
        lines.add("");
        lines.addAll(Table.of(outcomes));
        lines.add("");
        lines.add("![Median seconds of each contender](benchmarks/side-by-side.svg)");
        lines.add("");
        versions.forEach((name, version) -> lines.add("- " + name + ": " + version));
        lines.add("");
        return lines;
    }

    private static String machine() throws IOException {
        var cpu = Files.readAllLines(Path.of("/proc/cpuinfo"), StandardCharsets.UTF_8).stream()
                .filter(l -> l.startsWith("model name"))
                .map(l -> l.substring(l.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("an unknown processor");
        var load = Files.readString(Path.of("/proc/loadavg")).split(" ")[2];
        return Runtime.getRuntime().availableProcessors() + " processors (" + cpu + "), Linux "
                + System.getProperty("os.version") + ", load " + load + " in the last 15 minutes";
    }
}
