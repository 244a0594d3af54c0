package io.forebay.sidecar.store;

/**
 * One file, object or folder that a store has.
 *
 * @param key whole key or absolute path
 * @param kind what it is
 * @param version pins exactly these bytes
 * @param meta as far as the listing knows it; for S3 the object's own metadata come only with stat or read
 */
public record Entry(String key, Kind kind, Version version, FileMeta meta) {
    /** What an entry is. */
    public enum Kind {
        FILE,
        FOLDER,
        SYMLINK
    }
}
