package io.forebay.sidecar.journal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The journal cannot be used. The kind is decided where it is thrown. */
public final class JournalException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What is wrong, as far as it decides what happens next. */
    public enum Kind {
        /** Bytes that were durable have changed: start again with {@link OnDamage#SALVAGE} and verify every file, or give up (75). */
        DAMAGED,
        /** Written by a version that knows more. */
        NEWER,
        /** Another process, or another part of this one, has it open. */
        LOCKED,
        /** A write or an fsync failed: nothing more is written to this file. Start again; recovery makes a new file. */
        FAILED,
        /** It was closed. */
        CLOSED
    }

    private final Kind kind;
    private final String file;
    private final long offset;

    JournalException(Kind kind, String file, long offset, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.file = file;
        this.offset = offset;
    }

    static JournalException damaged(String file, long offset, String what) {
        return new JournalException(
                Kind.DAMAGED,
                file,
                offset,
                "journal " + file + " is damaged at byte " + offset + ": " + what
                        + ". What it says can no longer be trusted; the files in the buffer must be verified by their checksums, "
                        + "or the run started again without it",
                null);
    }

    public Kind kind() {
        return kind;
    }

    /** Of the journal. */
    public String file() {
        return file;
    }

    /** Of the first byte in doubt; -1: it is not about a place in the file. */
    public long offset() {
        return offset;
    }
}
