package io.forebay.sidecar.store;

import io.forebay.message.Messages.Part;
import java.util.List;

/**
 * A file that is at its destination but not yet visible, complete and durable: what a commit intent names.
 *
 * @param stub where it is
 * @param parts of an UPLOAD
 * @param size bytes
 * @param crc32c of all its bytes, 0 to 2^32-1
 */
public record StagedFile(Stub stub, List<Part> parts, long size, long crc32c) {
    public StagedFile {
        parts = List.copyOf(parts);
    }

    /** How a file waits. */
    public enum Kind {
        TEMP,
        UPLOAD,
        INLINE,
        LINK,
        FOLDER
    }

    /**
     * The invisible place, known before the first byte.
     *
     * @param handle temporary name (same folder as finalKey) or upload id; empty for INLINE
     * @param readBack its bytes are read back from the destination and compared, before anybody calls it published
     */
    public record Stub(
            Kind kind, String finalKey, String root, String handle, long size, FileMeta meta, boolean readBack) {}
}
