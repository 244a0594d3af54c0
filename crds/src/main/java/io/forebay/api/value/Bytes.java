package io.forebay.api.value;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A number of bytes, 0 or more.
 *
 * @param value bytes
 */
public record Bytes(long value) implements Comparable<Bytes> {
    public static final Bytes ZERO = new Bytes(0);
    /** Kubernetes quantity syntax, without exponents and milli-units, which make no sense for bytes. */
    private static final Pattern QUANTITY = Pattern.compile("(\\d+(?:\\.\\d+)?)(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)?");

    /** Apart, since the first BigDecimal computes tables that a start without quantities need not wait for. */
    private static final class Units {
        static final Map<String, BigDecimal> BY_SUFFIX = Map.ofEntries(
                Map.entry("Ki", BigDecimal.valueOf(1L << 10)),
                Map.entry("Mi", BigDecimal.valueOf(1L << 20)),
                Map.entry("Gi", BigDecimal.valueOf(1L << 30)),
                Map.entry("Ti", BigDecimal.valueOf(1L << 40)),
                Map.entry("Pi", BigDecimal.valueOf(1L << 50)),
                Map.entry("Ei", BigDecimal.valueOf(1L << 60)),
                Map.entry("k", BigDecimal.valueOf(1_000L)),
                Map.entry("M", BigDecimal.valueOf(1_000_000L)),
                Map.entry("G", BigDecimal.valueOf(1_000_000_000L)),
                Map.entry("T", BigDecimal.valueOf(1_000_000_000_000L)),
                Map.entry("P", BigDecimal.valueOf(1_000_000_000_000_000L)),
                Map.entry("E", BigDecimal.valueOf(1_000_000_000_000_000_000L)));
    }

    public Bytes {
        if (value < 0) {
            throw new IllegalArgumentException("negative number of bytes: " + value);
        }
    }

    public static Bytes of(long bytes) {
        return new Bytes(bytes);
    }

    public static Bytes ofMiB(long mebibytes) {
        return new Bytes(Math.multiplyExact(mebibytes, 1L << 20));
    }

    public static Bytes ofGiB(long gibibytes) {
        return new Bytes(Math.multiplyExact(gibibytes, 1L << 30));
    }

    /**
     * Reads a Kubernetes quantity ({@code 8Gi}, {@code 1.5G}, {@code 1048576}).
     *
     * @throws IllegalArgumentException naming the text, for anything else, for a fraction of a byte, and above 2^63-1
     */
    public static Bytes parse(String text) {
        var m = QUANTITY.matcher(text);
        if (!m.matches()) {
            throw new IllegalArgumentException(
                    "'" + text
                            + "' is no quantity of bytes; write a number with one of the suffixes Ki Mi Gi Ti Pi Ei k M G T P E, for example 8Gi");
        }
        var number = new BigDecimal(m.group(1));
        var bytes = m.group(2) == null ? number : number.multiply(Units.BY_SUFFIX.get(m.group(2)));
        try {
            return new Bytes(bytes.longValueExact());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number of bytes below 2^63", e);
        }
    }

    public Bytes plus(Bytes other) {
        return new Bytes(Math.addExact(value, other.value));
    }

    /** For people: binary units, one decimal ({@code 1.5 GiB}). */
    public String human() {
        if (value < 1024) {
            return value + " B";
        }
        var units = new String[] {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
        double v = value;
        int unit = -1;
        while (v >= 1024 && unit < units.length - 1) {
            v /= 1024;
            unit++;
        }
        return "%.1f %s".formatted(v, units[unit]);
    }

    @Override
    public int compareTo(Bytes other) {
        return Long.compare(value, other.value);
    }
}
