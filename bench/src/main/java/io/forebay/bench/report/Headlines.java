package io.forebay.bench.report;

import io.forebay.bench.result.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The three figures that matter to somebody who has not read further: as they were measured, met or missed. Pure. */
final class Headlines {
    private record Headline(String id, String work) {}

    private static final List<Headline> THREE = List.of(
            new Headline("B2, versitygw", "10,000 objects of 10 KiB from S3 into memory, each verified"),
            new Headline(
                    "B7, 16 streams",
                    "a computation over 32 objects of 32 MB in order, at 100 ms and 91 MB/s per connection"),
            new Headline(
                    "B8, n 10",
                    "10 increments of each block of a volume on a slow shared file system, results back on it"));

    private Headlines() {}

    static List<String> of(List<Outcome> outcomes) {
        var lines = new ArrayList<String>();
        lines.add("| what | Forebay, start included | beside it | ratio of the times (95 %) | measured |");
        lines.add("|---|---|---|---|---|");
        for (var headline : THREE) {
            var outcome = outcomes.stream()
                    .filter(o -> o.subject().id().equals(headline.id()))
                    .findFirst();
            lines.add(outcome.flatMap(o -> row(headline, o))
                    .orElse("| " + headline.work() + " | not measured yet | | | |"));
        }
        return lines;
    }

    /** Beside whom: for the last two the way without a buffer, whatever else there is. */
    private static Optional<String> row(Headline headline, Outcome outcome) {
        var peer = outcome.ran("direct") ? Optional.of("direct") : outcome.bestPeer();
        return peer.map(p -> {
            var ratio = outcome.against(p);
            return String.format(
                    Locale.ROOT,
                    "| %s | %.2f s | %s: %.2f s | %.2f (%.2f to %.2f), goal %s | %s, load %.1f |",
                    headline.work(),
                    outcome.seconds(Outcome.OURS),
                    p,
                    outcome.seconds(p),
                    ratio.mean(),
                    ratio.low(),
                    ratio.high(),
                    outcome.isMet() ? "met" : "missed",
                    outcome.circumstances().date(),
                    outcome.circumstances().load());
        });
    }
}
