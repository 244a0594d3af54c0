package io.forebay.sidecar.store;

import org.jspecify.annotations.Nullable;

/** Exactly one content of one key. What is planned, fetched and recorded names a version, never only a key. */
public sealed interface Version {
    String key();

    long size();

    /** Short text that {@link #parse} reads again; goes into plan, records and item identity. */
    String pin();

    /** @param etag as the store writes it, without quotes; may be no MD5 */
    record S3(String key, long size, String etag, @Nullable String versionId, long lastModifiedMillis)
            implements Version {
        @Override
        public String pin() {
            return "s3:" + size + ":" + lastModifiedMillis + ":" + etag + ":" + (versionId == null ? "" : versionId);
        }
    }

    /** @param lustreDataVersion of lfs data_version; -1: not Lustre */
    record Posix(
            String key, long size, long device, long inode, long mtimeNanos, long ctimeNanos, long lustreDataVersion)
            implements Version {
        @Override
        public String pin() {
            return "px:" + size + ":" + mtimeNanos + ":" + ctimeNanos + ":" + inode + ":" + device + ":"
                    + lustreDataVersion;
        }
    }

    /** @throws IllegalArgumentException if {@code pin} was not written by {@link #pin} */
    static Version parse(String key, String pin) {
        var f = pin.split(":", -1);
        try {
            if (f[0].equals("s3") && f.length >= 5) {
                // The ETag may hold colons; size and time come first, the version id last.
                var etag = String.join(":", java.util.Arrays.copyOfRange(f, 3, f.length - 1));
                var id = f[f.length - 1];
                return new S3(key, Long.parseLong(f[1]), etag, id.isEmpty() ? null : id, Long.parseLong(f[2]));
            }
            if (f[0].equals("px") && f.length == 7) {
                return new Posix(
                        key,
                        Long.parseLong(f[1]),
                        Long.parseLong(f[5]),
                        Long.parseLong(f[4]),
                        Long.parseLong(f[2]),
                        Long.parseLong(f[3]),
                        Long.parseLong(f[6]));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a version: '" + pin + "'", e);
        }
        throw new IllegalArgumentException("not a version: '" + pin + "'");
    }
}
