package io.forebay.bench.work;

/** What a benchmark should reach. */
public sealed interface Goal {
    /** At most so many times the best peer's time. */
    record OfBestPeer(double ratio) implements Goal {}

    /** Seconds, start of the process included. */
    record Seconds(double most) implements Goal {}

    /** Milliseconds for each of so many items. */
    record MillisecondsAnItem(double most, int items) implements Goal {}
}
