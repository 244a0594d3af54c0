package io.forebay.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import org.jboss.logging.Logger;

/** The key that jobs' tokens are made from. */
final class TokenKey {
    private static final Logger LOG = Logger.getLogger(TokenKey.class);
    private static final int BYTES = 32;

    private TokenKey() {}

    /** @param file of any bytes, at least 16; absent: a key is made up, and what jobs made by an earlier operator say cannot be asked for */
    static byte[] read(Optional<Path> file) throws IOException {
        if (file.isPresent()) {
            return Files.readAllBytes(file.get());
        }
        LOG.warn(
                "no forebay.token-key-file: the key lives as long as this process; jobs that run over its restart show ProgressUnknown");
        var made = new byte[BYTES];
        new SecureRandom().nextBytes(made);
        return made;
    }
}
