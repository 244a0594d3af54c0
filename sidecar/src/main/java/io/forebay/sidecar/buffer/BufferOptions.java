package io.forebay.sidecar.buffer;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * How a buffer behaves.
 *
 * @param declaredGrowthBytes what an item writes at most, as the manifest says (work + outputs); absent: learned
 * @param group that may use the items' folders (2770, inputs 2750), where steps run as other users; absent: nobody else may (0700)
 * @param patience how long an item waits for space that nothing of ours holds (others fill the file system, or every tier is closed
 *     after I/O errors) before it is told that it does not fit
 * @param clock nanoseconds, monotonic
 */
public record BufferOptions(
        OptionalLong declaredGrowthBytes, OptionalInt group, Duration patience, LongSupplier clock) {
    public static final BufferOptions DEFAULT =
            new BufferOptions(OptionalLong.empty(), OptionalInt.empty(), Duration.ofMinutes(5), System::nanoTime);

    public BufferOptions {
        if (declaredGrowthBytes.isPresent() && declaredGrowthBytes.getAsLong() < 0) {
            throw new IllegalArgumentException("negative declared growth: " + declaredGrowthBytes.getAsLong());
        }
    }

    public BufferOptions withDeclaredGrowth(long bytes) {
        return new BufferOptions(OptionalLong.of(bytes), group, patience, clock);
    }

    public BufferOptions withGroup(OptionalInt gid) {
        return new BufferOptions(declaredGrowthBytes, gid, patience, clock);
    }

    public BufferOptions withPatience(Duration most) {
        return new BufferOptions(declaredGrowthBytes, group, most, clock);
    }
}
