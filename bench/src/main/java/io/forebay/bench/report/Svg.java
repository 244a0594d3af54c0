package io.forebay.bench.report;

import java.util.Locale;

/** The few elements of SVG that the plots are made of. Pure. */
final class Svg {
    private Svg() {}

    static String page(int width, int height, String body) {
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">%n"
                        .formatted(width, height)
                + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + body + "</svg>\n";
    }

    /** @param attributes of the element, besides its place; may be empty */
    static String text(double x, double y, String attributes, String text) {
        return format(
                "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>%n",
                x, y, attributes, text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    static String rectangle(double x, double y, double width, double height, String fill) {
        return format(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n",
                x, y, width, height, fill);
    }

    static String line(double x1, double y1, double x2, double y2, String attributes) {
        return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>%n", x1, y1, x2, y2, attributes);
    }

    static String circle(double x, double y, double radius, String fill) {
        return format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>%n", x, y, radius, fill);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
