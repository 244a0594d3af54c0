package io.forebay.bench.result;

import io.forebay.bench.measure.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * An outcome as a text file, so that one benchmark can be measured again without the others. UTF-8, a line for each fact, tabs between
 * its words; the first word says which: {@code id}, {@code title}, {@code mebibytes}, {@code goal}, {@code predicted} (what, seconds),
 * {@code point} (curve, axis, x), {@code date}, {@code machine}, {@code load}, {@code version} (name, text), {@code contender} (name, in the
 * order of the table), {@code run} (contender, round, seconds, CPU seconds, KiB). Others are refused.
 */
public final class OutcomeFile {
    private static final String END = ".tsv";

    private OutcomeFile() {}

    /** Writes it beside the others, in place of an older one of the same id. */
    public static void write(Path folder, Outcome outcome) throws IOException {
        var lines = new ArrayList<String>();
        var subject = outcome.subject();
        var circumstances = outcome.circumstances();
        line(lines, "id", subject.id());
        line(lines, "title", subject.title());
        line(lines, "mebibytes", Double.toString(subject.mebibytes()));
        for (var goal : subject.goals()) {
            var words = new ArrayList<>(List.of("goal"));
            words.addAll(goal.words());
            line(lines, words.toArray(String[]::new));
        }
        subject.predicted().forEach((what, seconds) -> line(lines, "predicted", what, Double.toString(seconds)));
        subject.point().ifPresent(p -> line(lines, "point", p.curve(), p.axis(), Double.toString(p.x())));
        line(lines, "date", circumstances.date().toString());
        line(lines, "machine", circumstances.machine());
        line(lines, "load", Double.toString(circumstances.load()));
        circumstances.versions().forEach((name, version) -> line(lines, "version", name, version));
        outcome.contenders().forEach(c -> line(lines, "contender", c));
        for (var run : outcome.runs()) {
            var sample = run.sample();
            line(
                    lines,
                    "run",
                    run.contender(),
                    Integer.toString(run.round()),
                    Double.toString(sample.seconds()),
                    Double.toString(sample.cpuSeconds()),
                    Long.toString(sample.peakKib()));
        }
        Files.createDirectories(folder);
        Files.write(folder.resolve(subject.id().replaceAll("[^A-Za-z0-9]+", "-") + END), lines);
    }

    private static void line(List<String> lines, String... words) {
        lines.add(String.join("\t", Arrays.stream(words).map(OutcomeFile::flat).toList()));
    }

    private static String flat(String word) {
        return word.replaceAll("[\\t\\r\\n]+", " ");
    }

    /** All outcomes of a folder, in the order of their ids. @throws IOException also for a file that is none */
    public static List<Outcome> readAll(Path folder) throws IOException {
        var all = new ArrayList<Outcome>();
        if (Files.isDirectory(folder)) {
            try (var files = Files.newDirectoryStream(folder, "*" + END)) {
                for (var file : files) {
                    all.add(read(file));
                }
            }
        }
        all.sort((a, b) -> Ids.ORDER.compare(a.subject().id(), b.subject().id()));
        return all;
    }

    /** Removes what is there of a benchmark. @param benchmark as {@link Subject#benchmark} */
    public static void remove(Path folder, String benchmark) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (var files = Files.newDirectoryStream(folder, benchmark + "*" + END)) {
            for (var file : files) {
                if (file.getFileName().toString().matches(benchmark + "(-.*)?\\" + END)) {
                    Files.delete(file);
                }
            }
        }
    }

    static Outcome read(Path file) throws IOException {
        var found = new Found();
        var lines = Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
            try {
                found.take(Arrays.asList(lines.get(i).split("\t", -1)));
            } catch (IllegalArgumentException | IndexOutOfBoundsException | DateTimeException e) {
                throw new IOException(file + ", line " + (i + 1) + " is no part of an outcome: " + lines.get(i), e);
            }
        }
        try {
            return found.outcome();
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is no outcome: " + e.getMessage(), e);
        }
    }

    private static final class Found {
        private String id = "";
        private String title = "";
        private double mebibytes;
        private final List<Goal> goals = new ArrayList<>();
        private final LinkedHashMap<String, Double> predicted = new LinkedHashMap<>();
        private Optional<Point> point = Optional.empty();
        private LocalDate date = LocalDate.EPOCH;
        private String machine = "";
        private double load;
        private final LinkedHashMap<String, String> versions = new LinkedHashMap<>();
        private final List<String> contenders = new ArrayList<>();
        private final List<Run> runs = new ArrayList<>();

        void take(List<String> words) {
            var first = words.get(1);
            switch (words.getFirst()) {
                case "id" -> id = first;
                case "title" -> title = first;
                case "mebibytes" -> mebibytes = Double.parseDouble(first);
                case "goal" -> goals.add(Goal.parse(words.subList(1, words.size())));
                case "predicted" -> predicted.put(first, Double.parseDouble(words.get(2)));
                case "point" -> point = Optional.of(new Point(first, words.get(2), Double.parseDouble(words.get(3))));
                case "date" -> date = LocalDate.parse(first);
                case "machine" -> machine = first;
                case "load" -> load = Double.parseDouble(first);
                case "version" -> versions.put(first, words.get(2));
                case "contender" -> contenders.add(first);
                case "run" ->
                    runs.add(new Run(
                            first,
                            Integer.parseInt(words.get(2)),
                            new Sample(
                                    Double.parseDouble(words.get(3)),
                                    Double.parseDouble(words.get(4)),
                                    Long.parseLong(words.get(5)))));
                default -> throw new IllegalArgumentException(words.getFirst());
            }
        }

        Outcome outcome() {
            return new Outcome(
                    new Subject(id, title, mebibytes, goals, predicted, point),
                    contenders,
                    runs,
                    new Circumstances(date, machine, load, versions));
        }
    }
}
