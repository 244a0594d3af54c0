package io.forebay.sidecar.coordinator;

import org.jspecify.annotations.Nullable;

/**
 * Where the run is.
 *
 * @param phase Planning, Recovering, Running, Draining or Ended
 * @param running items held by workers, in whatever state
 * @param workers that renewed within their lease
 * @param bytesStaged, filesStaged, bytesFlushed, filesFlushed, retries: sums over workers since the start of this coordinator
 * @param bufferUsed, bufferSize, dirtyBytes: bytes in the buffers of the workers that live, as they renewed last; dirty: reserved for what is
 *     not written back yet or still comes
 * @param lastMessage of the coordinator or a worker
 * @param lastMessageAt milliseconds since 1970 UTC; 0: none
 */
public record Progress(
        String phase,
        int generation,
        long items,
        long done,
        long skipped,
        long failed,
        long running,
        long pending,
        long totalBytes,
        long totalFiles,
        long bytesStaged,
        long filesStaged,
        long bytesFlushed,
        long filesFlushed,
        long retries,
        long unexported,
        long unexportedBytes,
        int workers,
        long bufferUsed,
        long bufferSize,
        long dirtyBytes,
        @Nullable String lastMessage,
        long lastMessageAt) {}
