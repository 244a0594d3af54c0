package io.forebay.bench.report;

import io.forebay.bench.measure.Sample;
import io.forebay.bench.work.Goal;
import io.forebay.bench.work.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Outcomes as rows of a Markdown table, a row for each contender. Pure. */
final class Table {
    private Table() {}

    static List<String> of(List<Outcome> outcomes) {
        var lines = new ArrayList<String>();
        lines.add("| id | work | contender | seconds | MiB/s | CPU s | peak MiB | Forebay / it (95 %) | goal |");
        lines.add("|---|---|---|---|---|---|---|---|---|");
        for (var outcome : outcomes) {
            for (var contender : outcome.contest().contenders()) {
                var samples = outcome.of(contender.name());
                if (!samples.isEmpty()) {
                    lines.add(row(outcome, contender.name(), contender.ours(), samples));
                }
            }
        }
        return lines;
    }

    private static String row(Outcome outcome, String name, boolean ours, List<Sample> samples) {
        var contest = outcome.contest();
        double seconds = Outcome.median(samples, Sample::seconds);
        return "| %s | %s | %s | %.2f | %s | %.2f | %d | %s | %s |"
                .formatted(
                        ours ? contest.id() : "",
                        ours ? contest.title() : "",
                        ours ? "**forebay**" : name,
                        seconds,
                        contest.mebibytes() > 0 ? format("%.0f", contest.mebibytes() / seconds) : "",
                        Outcome.median(samples, Sample::cpuSeconds),
                        Math.round(Outcome.median(samples, s -> s.peakKib()) / 1024),
                        ours ? samples.size() + " rounds" : ratio(outcome, name),
                        ours
                                ? goal(outcome)
                                : outcome.bestPeer().filter(name::equals).isPresent() ? "the best peer" : "");
    }

    private static String ratio(Outcome outcome, String peer) {
        var r = outcome.against(peer);
        return r.pairs() < 2
                ? format("%.2f (1 pair)", r.mean())
                : format("%.2f (%.2f to %.2f)", r.mean(), r.low(), r.high());
    }

    private static String goal(Outcome outcome) {
        var text = switch (outcome.contest().goal()) {
            case Goal.OfBestPeer(var ratio) -> format("%.1f x the best peer", ratio);
            case Goal.Seconds(var most) -> format("%.2f s", most);
            case Goal.MillisecondsAnItem(var most, var items) ->
                format("%.0f ms an item, here %.2f", most, outcome.seconds(outcome.ours()) * 1000 / items);
        };
        return text + (outcome.isMet() ? ": met" : ": **missed**");
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
