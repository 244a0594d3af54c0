package io.forebay.sidecar.local;

/**
 * Where a run stands, for displays. Counts of items; bytes since the start of this run.
 *
 * @param phase Planning, Running, Draining, Ended
 * @param bufferStranded bytes of what could not be exported; they stay in the buffer
 * @param secondsLeft estimate; -1: none yet
 */
public record RunProgress(
        String phase,
        long items,
        long done,
        long skipped,
        long failed,
        long fetching,
        long ready,
        long running,
        long flushing,
        long bytesStaged,
        long stageRate,
        long bytesFlushed,
        long flushRate,
        long bufferUsed,
        long bufferSize,
        long bufferStranded,
        long retries,
        long secondsLeft,
        String lastMessage) {}
