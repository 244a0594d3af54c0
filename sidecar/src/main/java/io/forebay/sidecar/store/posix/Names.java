package io.forebay.sidecar.store.posix;

import io.forebay.api.name.NameBytes;
import io.forebay.sidecar.store.OwnNames;
import java.util.regex.Pattern;

/** How temporary names are made, and limits of all others. Stateless. */
final class Names {
    private Names() {}

    /** So that a temporary name has at most 40 bytes, whatever the length of the final one. */
    private static final Pattern TOKEN = Pattern.compile("[0-9a-z-]{1,30}");

    /** PATH_MAX of Linux, less the closing NUL. */
    private static final int MAX_PATH_BYTES = 4095;

    static String temporary(String token) {
        if (!TOKEN.matcher(token).matches()) {
            throw new IllegalArgumentException("token '" + token + "' does not match " + TOKEN);
        }
        return OwnNames.TEMPORARY + token;
    }

    /** Whether the kernel takes this path in one piece. */
    static boolean canBeOpened(String path) {
        // No character has more than 3 bytes (a pair of surrogates has 4).
        return path.length() <= MAX_PATH_BYTES / 3 || NameBytes.encode(path).length <= MAX_PATH_BYTES;
    }

    /** The folder of a path, ending in a slash; of a folder's path (that ends in one) its parent. */
    static String parent(String path) {
        int end = path.endsWith("/") ? path.length() - 2 : path.length() - 1;
        return path.substring(0, path.lastIndexOf('/', end) + 1);
    }
}
