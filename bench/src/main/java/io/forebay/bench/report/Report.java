package io.forebay.bench.report;

import io.forebay.bench.result.LoopFigure;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.OutcomeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is measured of {@code docs/benchmarks.md}: the figures of each benchmark lie in files of their own in {@code docs/benchmarks}; the table,
 * between two marks, and the plots are made from all of them, so that one can be measured again alone; so are the three figures of README.md beside
 * {@code docs}. What people wrote around it stays.
 *
 * @param docs the folder {@code docs} of the checkout
 */
public record Report(Path docs) {
    private static final String BEGIN = "<!-- written by bench/run: begin -->";
    private static final String END = "<!-- written by bench/run: end -->";

    private Path folder() {
        return docs.resolve("benchmarks");
    }

    /** Keeps the figures of one benchmark in place of what there was of it, and writes the page anew. */
    public void replace(String benchmark, List<Outcome> outcomes) throws IOException {
        OutcomeFile.remove(folder(), benchmark);
        for (var outcome : outcomes) {
            OutcomeFile.write(folder(), outcome);
        }
        write();
    }

    /** The page and the plots, from all figures that there are. */
    public void write() throws IOException {
        var outcomes = OutcomeFile.readAll(folder());
        var page = docs.resolve("benchmarks.md");
        if (!Files.exists(page)) {
            Files.writeString(page, "# Benchmarks\n\n" + BEGIN + "\n" + END + "\n");
        }
        fill(page, part(outcomes));
        var readme = docs.resolveSibling("README.md");
        if (Files.exists(readme)) {
            fill(readme, Headlines.of(outcomes));
        }
    }

    /** What lies between the marks of a page. */
    private static void fill(Path page, List<String> lines) throws IOException {
        var text = Files.readString(page);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(
                    page + " has no place for what is measured: a line '" + BEGIN + "' and a line '" + END + "'");
        }
        Files.writeString(
                page, text.substring(0, begin) + BEGIN + "\n" + String.join("\n", lines) + "\n" + text.substring(end));
    }

    private List<String> part(List<Outcome> outcomes) throws IOException {
        var lines = new ArrayList<String>();
        lines.add("");
        lines.add(
                "Every contender is a whole process, start included unless the work says otherwise, in turn, each round begun by another one; seconds and CPU"
                        + " seconds are medians, with the least and the most; memory is the most of any run. The ratio is Forebay's time over the other's within one round: its"
                        + " geometric mean, and the 95 % interval of Student's t on the logarithms. A goal about a ratio is met when the *upper end* is below it. Every"
                        + " result was compared with its source byte for byte.");
        lines.add("");
        lines.addAll(Table.of(outcomes));
        lines.add("");
        Files.createDirectories(folder());
        var bars = outcomes.stream().filter(o -> o.subject().point().isEmpty()).toList();
        Files.writeString(folder().resolve("side-by-side.svg"), BarChart.of(bars));
        lines.add("![Median seconds of each contender](benchmarks/side-by-side.svg)");
        lines.add("");
        var curves = new TreeMap<String, List<Outcome>>();
        for (var outcome : outcomes) {
            outcome.subject()
                    .point()
                    .ifPresent(p -> curves.computeIfAbsent(p.curve(), c -> new ArrayList<>())
                            .add(outcome));
        }
        for (var curve : curves.entrySet()) {
            Files.writeString(folder().resolve(curve.getKey() + ".svg"), LineChart.of(curve.getValue()));
            lines.add("![%s: seconds, measured and by the model](benchmarks/%s.svg)"
                    .formatted(curve.getKey(), curve.getKey()));
            lines.add("");
        }
        lines.addAll(loops());
        lines.addAll(circumstances(outcomes));
        lines.add("");
        return lines;
    }

    /** Keeps these in place of all that there were. */
    public void replaceLoops(List<LoopFigure> figures) throws IOException {
        LoopFigure.write(folder(), figures);
        write();
    }

    private List<String> loops() throws IOException {
        var lines = new ArrayList<String>();
        var figures = LoopFigure.readAll(folder());
        if (!figures.isEmpty()) {
            lines.add("Inner loops, by JMH, one thread, with the engine's options (serial collector, C1):");
            lines.add("");
            lines.add("| loop | takes | 99.9 % |");
            lines.add("|---|---|---|");
            for (var f : figures) {
                lines.add(String.format(
                        Locale.ROOT, "| %s | %.3g %s | +- %.2g |", f.name(), f.score(), f.unit(), f.error()));
            }
            lines.add("");
        }
        return lines;
    }

    /** Machines with what was measured there, and all versions. */
    private static List<String> circumstances(List<Outcome> outcomes) {
        var sites = new TreeMap<String, LinkedHashSet<String>>();
        var versions = new TreeMap<String, TreeSet<String>>();
        for (var outcome : outcomes) {
            var where = outcome.circumstances();
            sites.computeIfAbsent(where.machine(), m -> new LinkedHashSet<>())
                    .add(outcome.subject().benchmark());
            where.versions()
                    .forEach((name, version) ->
                            versions.computeIfAbsent(name, n -> new TreeSet<>()).add(version));
        }
        var lines = new ArrayList<String>();
        sites.forEach((machine, ids) -> lines.add("- " + String.join(", ", ids) + ": " + machine));
        versions.forEach((name, all) -> lines.add("- " + name + ": " + String.join("; ", all)));
        return lines;
    }
}
