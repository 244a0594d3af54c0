package io.forebay.bench.measure;

/**
 * What one run of a command cost.
 *
 * @param seconds wall time
 * @param cpuSeconds user and system, of all its processes
 * @param peakKib most resident memory of its largest process
 */
public record Sample(double seconds, double cpuSeconds, long peakKib) {
    public Sample {
        if (!(seconds > 0) || cpuSeconds < 0 || peakKib < 0) {
            throw new IllegalArgumentException(
                    "no sample: " + seconds + " s, " + cpuSeconds + " s, " + peakKib + " KiB");
        }
    }
}
