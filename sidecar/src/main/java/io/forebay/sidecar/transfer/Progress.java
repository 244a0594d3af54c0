package io.forebay.sidecar.transfer;

import io.forebay.sidecar.transfer.TransferCounters.Message;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the transfers have done and how fast they are, at one moment.
 *
 * @param inRate bytes per second into the buffer, over the last 10 s (less at the start)
 * @param outRate bytes per second to the stores, likewise
 * @param last the latest retry, stall or corruption; absent: none yet
 */
public record Progress(
        long filesFetched,
        long bytesFetched,
        long filesStaged,
        long bytesStaged,
        double inRate,
        double outRate,
        long retries,
        long hedges,
        long corruptions,
        @Nullable Message last) {

    /** Longer than this is no estimate. */
    private static final double MOST_SECONDS = 1e9;

    /**
     * How long so many bytes more will take at the present rates; both directions go on at once.
     *
     * @return empty: nothing moves, so nobody knows
     */
    public Optional<Duration> timeLeft(long bytesToFetch, long bytesToStage) {
        double seconds = Math.max(seconds(bytesToFetch, inRate), seconds(bytesToStage, outRate));
        return seconds > MOST_SECONDS ? Optional.empty() : Optional.of(Duration.ofMillis((long) (seconds * 1000)));
    }

    private static double seconds(long bytes, double rate) {
        return bytes <= 0 ? 0 : bytes / rate;
    }
}
