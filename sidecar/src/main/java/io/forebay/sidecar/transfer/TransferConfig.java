package io.forebay.sidecar.transfer;

import io.forebay.api.value.Bytes;
import java.time.Duration;

/**
 * @param splitAbove files larger than this are moved in parts that overlap
 * @param smallestPart of such files, when read; stores choose their own for writing
 * @param largestPart likewise
 * @param hedgeAfter a read without a byte for so long gets a second request beside it; the first to deliver wins
 * @param readStallAfter a read without a byte for so long is given up and made again
 * @param writeStallAfter a write that took no byte and gave no answer for so long is given up and made again
 * @param interruptGrace how long a write or a call that was interrupted may take to end before it is left behind
 * @param restages how often a file whose seal failed is staged anew
 */
public record TransferConfig(
        Bytes splitAbove,
        Bytes smallestPart,
        Bytes largestPart,
        Duration hedgeAfter,
        Duration readStallAfter,
        Duration writeStallAfter,
        Duration interruptGrace,
        int restages,
        Retry.Policy retry) {

    public static final TransferConfig DEFAULT = new TransferConfig(
            Bytes.ofMiB(16),
            Bytes.ofMiB(8),
            Bytes.ofMiB(64),
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofSeconds(5),
            3,
            Retry.Policy.DEFAULT);

    public TransferConfig {
        if (smallestPart.value() < 1 || largestPart.compareTo(smallestPart) < 0) {
            throw new IllegalArgumentException("parts must be from 1 byte up: " + smallestPart + " to " + largestPart);
        }
        if (hedgeAfter.isZero() || hedgeAfter.isNegative() || readStallAfter.compareTo(hedgeAfter) < 0) {
            throw new IllegalArgumentException(
                    "a read stalls (" + readStallAfter + ") after it is hedged (" + hedgeAfter + "), and both after 0");
        }
        if (restages < 1) {
            throw new IllegalArgumentException("restages must be at least 1, not " + restages);
        }
    }
}
