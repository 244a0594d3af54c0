package io.forebay.sidecar.apart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/**
 * The file in which {@code forebay-step supervise --ended} tells a pod how its engine has ended. Only the engine writes success into it, since an
 * exit code of 0 alone proves nothing ({@code src/runner/ended.h}).
 */
final class EndedFile {
    private static final String VARIABLE = "FOREBAY_ENDED";

    private final Path file;

    private EndedFile(Path file) {
        this.file = file;
    }

    /** @return absent: nobody supervises this process */
    static Optional<EndedFile> of(Map<String, String> environment) {
        return Optional.ofNullable(environment.get(VARIABLE))
                .filter(name -> !name.isEmpty())
                .map(name -> new EndedFile(Path.of(name)));
    }

    /** All that this worker held is durable or recorded, and nothing is left for it. Appears whole, readable for all. */
    void success() throws IOException {
        var temporary = file.resolveSibling(file.getFileName() + ".engine");
        Files.writeString(temporary, "0\n", StandardCharsets.US_ASCII);
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-r--r--"));
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
