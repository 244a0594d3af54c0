package io.forebay.bench.report;

import io.forebay.bench.measure.Sample;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Outcomes as rows of a Markdown table, a row for each contender, and one for each time that a model gives. Pure. */
final class Table {
    private Table() {}

    static List<String> of(List<Outcome> outcomes) {
        var lines = new ArrayList<String>();
        lines.add(
                "| id | work | contender | seconds | MiB/s | CPU s | peak MiB | Forebay / it (95 %) | goal | measured |");
        lines.add("|---|---|---|---|---|---|---|---|---|---|");
        for (var outcome : outcomes) {
            for (var contender : outcome.contenders()) {
                var samples = outcome.of(contender);
                if (!samples.isEmpty()) {
                    lines.add(row(outcome, contender, samples));
                }
            }
            outcome.subject()
                    .predicted()
                    .forEach((what, seconds) -> lines.add(format("| | | *%s* | *%.2f* | | | | | | |", what, seconds)));
        }
        return lines;
    }

    private static String row(Outcome outcome, String name, List<Sample> samples) {
        boolean ours = name.equals(Outcome.OURS);
        var subject = outcome.subject();
        var where = outcome.circumstances();
        return "| %s | %s | %s | %s | %s | %s | %d | %s | %s | %s |"
                .formatted(
                        ours ? subject.id() : "",
                        ours ? subject.title() : "",
                        ours ? "**forebay**" : name,
                        spread(samples, Sample::seconds),
                        subject.mebibytes() > 0
                                ? format("%.0f", subject.mebibytes() / Outcome.median(samples, Sample::seconds))
                                : "",
                        spread(samples, Sample::cpuSeconds),
                        samples.stream().mapToLong(Sample::peakKib).max().orElse(0) >> 10,
                        ours ? samples.size() + " rounds" : ratio(outcome, name),
                        ours ? goals(outcome) : best(outcome, name),
                        ours ? where.date() + format(", load %.1f", where.load()) : "");
    }

    private static String spread(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        var all = samples.stream().mapToDouble(figure).summaryStatistics();
        double median = Outcome.median(samples, figure);
        return samples.size() == 1
                ? format("%.2f", median)
                : format("%.2f (%.2f to %.2f)", median, all.getMin(), all.getMax());
    }

    private static String best(Outcome outcome, String name) {
        return outcome.bestPeer().filter(name::equals).isPresent() ? "the best peer" : "";
    }

    private static String ratio(Outcome outcome, String peer) {
        var r = outcome.against(peer);
        return r.pairs() < 2
                ? format("%.2f (1 pair)", r.mean())
                : format("%.2f (%.2f to %.2f)", r.mean(), r.low(), r.high());
    }

    private static String goals(Outcome outcome) {
        return outcome.subject().goals().stream()
                .map(g -> text(g, outcome) + (g.isMetBy(outcome) ? ": met" : ": **missed**"))
                .collect(Collectors.joining("; "));
    }

    private static String text(Goal goal, Outcome outcome) {
        return switch (goal) {
            case Goal.OfBestPeer(var ratio, var peers) ->
                format(ratio == Math.rint(ratio * 10) / 10 ? "%.1f x " : "%.2f x ", ratio)
                        + (peers.isEmpty() ? "the best peer" : String.join(" or ", peers));
            case Goal.SpeedUp(var least, var peer) ->
                format("%.1f times as fast as %s", least, peer)
                        + (outcome.ran(peer)
                                ? format(
                                        ", here %.2f", 1 / outcome.against(peer).mean())
                                : "");
            case Goal.AsPredicted(var speedUp, var tolerance, var peer) ->
                format("%.2f times as fast as %s, as the model says, within %.0f %%", speedUp, peer, tolerance * 100)
                        + (outcome.ran(peer)
                                ? format(
                                        ", here %.2f", 1 / outcome.against(peer).mean())
                                : "");
            case Goal.OfCpu cpu ->
                format("%.2f x the CPU seconds of %s", cpu.ratio(), cpu.peer())
                        + (outcome.ran(cpu.peer())
                                ? format(", here %.2f", cpu.measured(outcome).mean())
                                : "");
            case Goal.Seconds(var most) -> format("%.2f s", most);
            case Goal.MillisecondsAnItem item ->
                format("%.0f ms an item, here %.2f", item.most(), item.measured(outcome));
            case Goal.Resident memory -> format("%d MiB", memory.mostMebibytes());
        };
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
