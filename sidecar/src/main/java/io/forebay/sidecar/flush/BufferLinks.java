package io.forebay.sidecar.flush;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds symbolic links among outputs that would point at nothing once the item has left the buffer: to its input, to its work folder, or by
 * a whole path to another output. Published as they are they would be called durable, and what they stand for would be lost. Pure.
 */
public final class BufferLinks {
    private BufferLinks() {}

    /**
     * @param out the item's {@code $(OUT)}, absolute
     * @param tier the root of the tier that it lies in
     * @return the first such link, in words
     */
    public static Optional<String> first(List<OutputFile> files, Path out, Path tier) {
        for (var file : files) {
            var target = file.meta().linkTarget();
            if (file.kind() == OutputFile.Kind.LINK && target != null && leavesOutForBuffer(file, target, out, tier)) {
                return Optional.of(
                        "$(OUT)/" + file.relative() + " is a symbolic link to " + target
                                + ", which goes with the item; copy what it stands for (cp -L), or link by a relative path inside $(OUT)");
            }
        }
        return Optional.empty();
    }

    private static boolean leavesOutForBuffer(OutputFile file, String target, Path out, Path tier) {
        try {
            var whole = out.resolve(file.relative()).resolveSibling(target).normalize();
            boolean absolute = target.startsWith("/");
            return whole.startsWith(tier) && (absolute || !whole.startsWith(out));
        } catch (java.nio.file.InvalidPathException e) {
            return false; // no path of ours
        }
    }
}
