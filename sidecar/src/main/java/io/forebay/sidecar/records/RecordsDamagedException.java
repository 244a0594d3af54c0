package io.forebay.sidecar.records;

/** The records do not say what they once said: a checksum is wrong, or a part is missing. Nothing is decided from them. */
public final class RecordsDamagedException extends Exception {
    private static final long serialVersionUID = 1L;

    public RecordsDamagedException(String message) {
        super(message);
    }

    public RecordsDamagedException(String message, Throwable cause) {
        super(message, cause);
    }
}
