package io.forebay.sidecar.buffer;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What an item will write, learned from the last {@value #KEPT} that ended. Pure; not thread-safe.
 *
 * <p>Within the range of inputs seen, an item is expected to write no more than the most that one wrote, nor more than the
 * highest ratio seen makes of its inputs; above it, the ratio; below it, the most. Plus an eighth. Old samples are
 * forgotten, so that one giant does not shrink the buffer for ever.
 */
final class GrowthEstimate {
    private static final int KEPT = 32;
    /** Until an item has ended (DESIGN 5). */
    private static final int BEFORE_ANY = 3;
    /** Folders, and the last pages of a few files. */
    private static final long LEAST_BYTES = 1 << 20;

    private record Sample(long inputBytes, long peakBytes) {}

    private final Deque<Sample> samples = new ArrayDeque<>();

    void learned(long inputBytes, long peakBytes) {
        if (samples.size() == KEPT) {
            samples.removeFirst();
        }
        samples.addLast(new Sample(inputBytes, peakBytes));
    }

    /** Bytes beyond the inputs. */
    long expect(long inputBytes) {
        if (samples.isEmpty()) {
            return saturated((double) BEFORE_ANY * inputBytes + LEAST_BYTES);
        }
        long fewest = Long.MAX_VALUE;
        long largest = 0;
        long peak = 0;
        double ratio = 0;
        for (var s : samples) {
            fewest = Math.min(fewest, s.inputBytes());
            largest = Math.max(largest, s.inputBytes());
            peak = Math.max(peak, s.peakBytes());
            ratio = Math.max(ratio, (double) s.peakBytes() / Math.max(1, s.inputBytes()));
        }
        double byRatio = ratio * inputBytes;
        double bytes;
        if (inputBytes > largest) {
            bytes = Math.max(peak, byRatio);
        } else if (inputBytes < fewest || inputBytes == 0) {
            bytes = peak;
        } else {
            bytes = Math.min(peak, byRatio);
        }
        return saturated(bytes * 1.125 + LEAST_BYTES);
    }

    private static long saturated(double bytes) {
        return bytes >= Long.MAX_VALUE / 4.0 ? Long.MAX_VALUE / 4 : (long) bytes;
    }
}
