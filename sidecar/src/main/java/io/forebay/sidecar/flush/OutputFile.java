package io.forebay.sidecar.flush;

import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.store.FileMeta;

/**
 * One file that a step left in {@code $(OUT)} and that an output rule selects. A file that two rules select makes two of these.
 *
 * @param output the rule's name
 * @param relative path below $(OUT)
 * @param path where it lies in the buffer
 * @param size bytes; 0 for links and folders
 * @param to where it will be
 * @param root the folder of {@code to} that the manifest fixes (before the first variable)
 * @param readBack the rule wants it read back from its destination and compared
 * @param seen what stat said when it was found: a later change shows
 */
public record OutputFile(
        String output,
        String relative,
        String path,
        Kind kind,
        long size,
        FileMeta meta,
        StoreUri to,
        StoreUri root,
        boolean readBack,
        Seen seen) {
    /** What is published. */
    public enum Kind {
        FILE,
        LINK,
        FOLDER
    }

    /** @param ctimeNanos changes with every write(2), rename and chmod */
    public record Seen(long inode, long size, long ctimeNanos) {}
}
