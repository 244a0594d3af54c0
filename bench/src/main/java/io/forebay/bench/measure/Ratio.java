package io.forebay.bench.measure;

import java.util.List;

/**
 * How much of another's time ours takes: geometric mean of paired ratios, with the two-sided 95 % interval of Student's t on their
 * logarithms. A goal is met when {@link #high} is below it.
 *
 * @param low NaN, as high, where there are fewer than two pairs
 */
public record Ratio(double mean, double low, double high, int pairs) {
    /** 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom (any table of statistics). */
    private static final double[] T = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
        2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042
    };

    /** @param ours and {@code theirs}: as many, of the same rounds; at least one */
    public static Ratio of(List<Double> ours, List<Double> theirs) {
        if (ours.size() != theirs.size() || ours.isEmpty()) {
            throw new IllegalArgumentException(ours.size() + " and " + theirs.size() + " figures make no pairs");
        }
        int n = ours.size();
        var logs = new double[n];
        double sum = 0;
        for (int i = 0; i < n; i++) {
            logs[i] = Math.log(ours.get(i) / theirs.get(i));
            sum += logs[i];
        }
        double mean = sum / n;
        if (n == 1) {
            return new Ratio(Math.exp(mean), Double.NaN, Double.NaN, 1);
        }
        double squares = 0;
        for (double l : logs) {
            squares += (l - mean) * (l - mean);
        }
        double half = T[Math.min(n - 1, T.length) - 1] * Math.sqrt(squares / (n - 1) / n);
        return new Ratio(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half), n);
    }

    /** Whether more pairs would hardly change what it says: the interval is within 5 % of the mean. */
    public boolean isSettled() {
        return pairs >= 4 && high / mean < 1.05;
    }

    /** Whether the whole interval lies on one side of the goal. */
    public boolean decides(double goal) {
        return pairs >= 4 && (high < goal || low > goal);
    }
}
