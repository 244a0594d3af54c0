package io.forebay.sidecar.store;

import org.jspecify.annotations.Nullable;

/**
 * What a file is besides its bytes.
 *
 * @param mode permission bits, as in chmod(2); -1: unknown
 * @param mtimeNanos nanoseconds since 1970 UTC; -1: unknown
 * @param linkTarget of a symbolic link; absent: none
 */
public record FileMeta(int mode, long mtimeNanos, @Nullable String linkTarget) {
    public static final FileMeta UNKNOWN = new FileMeta(-1, -1, null);
}
