package io.forebay.sidecar.advisor;

/** Checks of what goes into the models. */
final class Positive {
    private Positive() {}

    /** @return the value, finite and above 0 */
    static double require(String name, double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(name + " must be above 0 and finite, not " + value);
        }
        return value;
    }

    /** Infinite stands for what costs no time. */
    static double requireBandwidth(String name, double value) {
        if (!(value > 0)) {
            throw new IllegalArgumentException(name + " must be above 0, not " + value);
        }
        return value;
    }

    static double requireNotNegative(String name, double value) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(name + " must be 0 or more and finite, not " + value);
        }
        return value;
    }
}
