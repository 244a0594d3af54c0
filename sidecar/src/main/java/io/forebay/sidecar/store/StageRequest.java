package io.forebay.sidecar.store;

/**
 * A file of the buffer that is to be staged.
 *
 * @param finalKey where it will be visible
 * @param root the part of finalKey that the manifest fixes (folder): parents below it are created, and no symbolic link below it is followed
 * @param size bytes
 * @param token unique to job, item, attempt and file: goes into temporary names; at most 30 characters of [0-9a-z-]
 * @param again an earlier attempt at this file, which can publish nothing more, may have left something at the store that no record names
 * @param readBack see {@link StagedFile.Stub}
 */
public record StageRequest(
        String finalKey, String root, long size, FileMeta meta, String token, boolean again, boolean readBack) {
    /** The first attempt. */
    public StageRequest(String finalKey, String root, long size, FileMeta meta, String token) {
        this(finalKey, root, size, meta, token, false, false);
    }
}
