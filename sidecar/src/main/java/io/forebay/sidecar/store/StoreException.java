package io.forebay.sidecar.store;

/** A store refused or failed. The kind is decided where it is thrown; only TRANSIENT and CREDENTIALS are retried, in one place. */
public sealed class StoreException extends Exception permits SpecialFileException {
    private static final long serialVersionUID = 1L;

    /** What went wrong, as far as it decides what happens next. */
    public enum Kind {
        /** Timeout, reset, 5xx, 429, EIO once: may go well the next time. */
        TRANSIENT,
        /** Credentials expired: renewed, then retried. */
        CREDENTIALS,
        /** 403, EACCES, EPERM, EROFS. */
        DENIED,
        /** No such key, file, bucket. */
        NOT_FOUND,
        /** No longer the pinned version. */
        CHANGED,
        /** ENOSPC, EDQUOT. */
        NO_SPACE,
        /** Bytes that arrived are not those that the store says it has; read again, a few times. */
        CORRUPT,
        /** Name too long, not UTF-8, outside the root. */
        BAD_NAME,
        /** Larger than the store takes. */
        TOO_LARGE,
        /** Anything else that will not change by trying again. */
        PERMANENT;

        public boolean worthRetrying() {
            return this == TRANSIENT || this == CREDENTIALS || this == CORRUPT;
        }
    }

    private final Kind kind;
    private final boolean wholeStore;

    public StoreException(Kind kind, String message) {
        this(kind, message, null);
    }

    public StoreException(Kind kind, String message, @org.jspecify.annotations.Nullable Throwable cause) {
        this(kind, message, cause, false);
    }

    /** @param wholeStore it concerns all of the store (no such bucket, bad credentials), not this key alone */
    public StoreException(
            Kind kind, String message, @org.jspecify.annotations.Nullable Throwable cause, boolean wholeStore) {
        super(message, cause);
        this.kind = kind;
        this.wholeStore = wholeStore;
    }

    public Kind kind() {
        return kind;
    }

    public boolean wholeStore() {
        return wholeStore;
    }
}
