package io.forebay.bench.report;

import io.forebay.bench.measure.Sample;
import io.forebay.bench.work.Outcome;
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
            body.append(text(
                    8,
                    y,
                    "font-weight=\"bold\"",
                    outcome.contest().id() + ": " + outcome.contest().title()));
            double longest = outcome.contest().contenders().stream()
                    .mapToDouble(c -> outcome.seconds(c.name()))
                    .filter(s -> !Double.isNaN(s))
                    .max()
                    .orElse(1);
            y += 6;
            for (var contender : outcome.contest().contenders()) {
                var samples = outcome.of(contender.name());
                if (samples.isEmpty()) {
                    continue;
                }
                double seconds = Outcome.median(samples, Sample::seconds);
                double width = seconds / longest * (WIDTH - LABEL - 90);
                body.append(text(20, y + 13, "", contender.name()));
                body.append(String.format(
                        Locale.ROOT,
                        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                        LABEL,
                        y,
                        width,
                        BAR,
                        contender.ours() ? "#1f77b4" : "#b0b0b0"));
                body.append(text(LABEL + (int) width + 6, y + 13, "", String.format(Locale.ROOT, "%.2f s", seconds)));
                y += BAR + GAP;
            }
        }
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">%n"
                        .formatted(WIDTH, y + 16)
                + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + body + "</svg>\n";
    }

    private static String text(int x, int y, String attributes, String text) {
        return "<text x=\"%d\" y=\"%d\" %s>%s</text>%n"
                .formatted(x, y, attributes, text.replace("&", "&amp;").replace("<", "&lt;"));
    }
}
