package io.forebay.bench.report;

import io.forebay.bench.measure.Sample;
import io.forebay.bench.result.Outcome;
import java.util.List;
import java.util.Locale;

/** Median seconds of each contender of each contest, as SVG: a group of bars each, in units of the group's longest. Pure. */
final class BarChart {
    private static final int WIDTH = 860;
    private static final int LABEL = 150;
    private static final int BAR = 16;
    private static final int GAP = 4;

    private BarChart() {}

    static String of(List<Outcome> outcomes) {
        var body = new StringBuilder();
        int y = 10;
        for (var outcome : outcomes) {
            y += 22;
            body.append(Svg.text(
                    8,
                    y,
                    "font-weight=\"bold\"",
                    outcome.subject().id() + ": " + outcome.subject().title()));
            double longest = outcome.contenders().stream()
                    .mapToDouble(outcome::seconds)
                    .filter(s -> !Double.isNaN(s))
                    .max()
                    .orElse(1);
            y += 6;
            for (var contender : outcome.contenders()) {
                var samples = outcome.of(contender);
                if (samples.isEmpty()) {
                    continue;
                }
                double seconds = Outcome.median(samples, Sample::seconds);
                double width = seconds / longest * (WIDTH - LABEL - 90);
                body.append(Svg.text(20, y + 13, "", contender));
                body.append(
                        Svg.rectangle(LABEL, y, width, BAR, contender.equals(Outcome.OURS) ? "#1f77b4" : "#b0b0b0"));
                body.append(Svg.text(LABEL + width + 6, y + 13, "", String.format(Locale.ROOT, "%.2f s", seconds)));
                y += BAR + GAP;
            }
        }
        return Svg.page(WIDTH, y + 16, body.toString());
    }
}
