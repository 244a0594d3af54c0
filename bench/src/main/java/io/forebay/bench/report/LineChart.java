package io.forebay.bench.report;

import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Seconds over what was varied, as SVG: median of each contender with its spread, and dashed what a model gives. Pure. */
final class LineChart {
    private static final int WIDTH = 860;
    private static final int HEIGHT = 420;
    private static final int LEFT = 60;
    private static final int RIGHT = 250;
    private static final int TOP = 40;
    private static final int BOTTOM = 50;
    private static final List<String> COLOURS =
            List.of("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf");

    private final List<Outcome> points;
    private final double mostX;
    private final double mostY;
    private final StringBuilder body = new StringBuilder();

    private LineChart(List<Outcome> points) {
        this.points =
                points.stream().sorted(Comparator.comparingDouble(LineChart::x)).toList();
        mostX = points.stream().mapToDouble(LineChart::x).max().orElse(1);
        mostY = 1.05
                * points.stream()
                        .mapToDouble(o -> Math.max(
                                o.runs().stream()
                                        .mapToDouble(r -> r.sample().seconds())
                                        .max()
                                        .orElse(0),
                                o.subject().predicted().values().stream()
                                        .mapToDouble(s -> s)
                                        .max()
                                        .orElse(0)))
                        .max()
                        .orElse(1);
    }

    /** @param points of one curve, at least one */
    static String of(List<Outcome> points) {
        return new LineChart(points).draw();
    }

    private static double x(Outcome outcome) {
        return outcome.subject().point().map(Point::x).orElse(0.0);
    }

    private double across(double x) {
        return LEFT + x / mostX * (WIDTH - LEFT - RIGHT);
    }

    private double down(double seconds) {
        return HEIGHT - BOTTOM - seconds / mostY * (HEIGHT - TOP - BOTTOM);
    }

    private String draw() {
        var first = points.getFirst().subject();
        body.append(Svg.text(LEFT, 22, "font-weight=\"bold\"", first.benchmark() + ": " + first.title()));
        axes(first.point().map(Point::axis).orElse(""));
        var measured = new LinkedHashSet<String>();
        var predicted = new LinkedHashSet<String>();
        for (var point : points) {
            measured.addAll(point.contenders());
            predicted.addAll(point.subject().predicted().keySet());
        }
        int colour = 0;
        int row = 0;
        for (var name : measured) {
            var hue = COLOURS.get(colour++ % COLOURS.size());
            spread(name, hue);
            curve(o -> o.seconds(name), hue, "stroke-width=\"2\"", true);
            legend(row++, name, hue, "stroke-width=\"2\"");
        }
        for (var name : predicted) {
            var hue = COLOURS.get(colour++ % COLOURS.size());
            curve(o -> o.subject().predicted().getOrDefault(name, Double.NaN), hue, "stroke-dasharray=\"6 4\"", false);
            legend(row++, name, hue, "stroke-dasharray=\"6 4\"");
        }
        return Svg.page(WIDTH, HEIGHT, body.toString());
    }

    private void axes(String axis) {
        body.append(Svg.line(LEFT, down(0), across(mostX), down(0), "stroke=\"black\""));
        body.append(Svg.line(LEFT, down(0), LEFT, TOP, "stroke=\"black\""));
        body.append(Svg.text(across(mostX / 2) - 40, HEIGHT - 12, "", axis));
        body.append(Svg.text(8, TOP - 4, "", "seconds"));
        for (var point : points) {
            var label = String.format(Locale.ROOT, "%.4g", x(point)).replaceFirst("\\.?0+$", "");
            body.append(Svg.text(across(x(point)) - 6, HEIGHT - BOTTOM + 18, "", label));
        }
        double step = Math.pow(10, Math.floor(Math.log10(mostY)));
        step = mostY / step < 2.5 ? step / 2 : step;
        for (double y = step; y < mostY; y += step) {
            body.append(Svg.line(LEFT, down(y), across(mostX), down(y), "stroke=\"#dddddd\""));
            body.append(Svg.text(20, down(y) + 4, "", String.format(Locale.ROOT, "%.3g", y)));
        }
    }

    private void curve(ToDoubleFunction<Outcome> figure, String hue, String style, boolean dots) {
        var found = new ArrayList<double[]>();
        for (var point : points) {
            double seconds = figure.applyAsDouble(point);
            if (!Double.isNaN(seconds)) {
                found.add(new double[] {across(x(point)), down(seconds)});
            }
        }
        for (int i = 0; i < found.size(); i++) {
            var at = found.get(i);
            if (i > 0) {
                var before = found.get(i - 1);
                body.append(Svg.line(before[0], before[1], at[0], at[1], "stroke=\"" + hue + "\" " + style));
            }
            if (dots) {
                body.append(Svg.circle(at[0], at[1], 4, hue));
            }
        }
    }

    private void spread(String name, String hue) {
        for (var point : points) {
            var all = point.of(name).stream().mapToDouble(s -> s.seconds()).summaryStatistics();
            if (all.getCount() > 1) {
                double x = across(x(point));
                body.append(Svg.line(x, down(all.getMin()), x, down(all.getMax()), "stroke=\"" + hue + "\""));
            }
        }
    }

    private void legend(int row, String name, String hue, String style) {
        double x = WIDTH - RIGHT + 20;
        double y = TOP + 20 * row;
        body.append(Svg.line(x, y, x + 24, y, "stroke=\"" + hue + "\" " + style));
        body.append(Svg.text(x + 30, y + 4, "", name));
    }
}
