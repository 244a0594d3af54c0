package io.forebay.api.job;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/** CPUs as Kubernetes writes them: {@code 2}, {@code 0.5}, {@code 500m}. */
final class CpuQuantity {
    private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,9}(?:[.][0-9]{1,3})?)|([0-9]{1,12})m");

    private CpuQuantity() {}

    /**
     * Thousandths of a CPU.
     *
     * @throws IllegalArgumentException naming the text
     */
    static long parseMillis(String text) {
        var m = SYNTAX.matcher(text);
        if (!m.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no number of CPUs; write for example 2, 0.5 or 500m");
        }
        return m.group(2) != null
                ? Long.parseLong(m.group(2))
                : new BigDecimal(m.group(1)).movePointRight(3).longValueExact();
    }
}
