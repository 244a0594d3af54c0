package io.forebay.sidecar.buffer;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * How a buffer behaves.
 *
 * @param declaredGrowthBytes what an item writes at most, as the manifest says (work + outputs); absent: learned
 * @param folderMode permissions of the items' folders: 0700, or 02770 where steps run as other users of one group
 * @param patience how long an item waits for space that nothing of ours holds (others fill the file system, or every tier is closed
 *     after I/O errors) before it is told that it does not fit
 * @param clock nanoseconds, monotonic
 */
public record BufferOptions(OptionalLong declaredGrowthBytes, int folderMode, Duration patience, LongSupplier clock) {
    public static final BufferOptions DEFAULT =
            new BufferOptions(OptionalLong.empty(), 0700, Duration.ofMinutes(5), System::nanoTime);

    public BufferOptions {
        if (declaredGrowthBytes.isPresent() && declaredGrowthBytes.getAsLong() < 0) {
            throw new IllegalArgumentException("negative declared growth: " + declaredGrowthBytes.getAsLong());
        }
    }

    public BufferOptions withDeclaredGrowth(long bytes) {
        return new BufferOptions(OptionalLong.of(bytes), folderMode, patience, clock);
    }

    public BufferOptions withFolderMode(int mode) {
        return new BufferOptions(declaredGrowthBytes, mode, patience, clock);
    }

    public BufferOptions withPatience(Duration most) {
        return new BufferOptions(declaredGrowthBytes, folderMode, most, clock);
    }
}
