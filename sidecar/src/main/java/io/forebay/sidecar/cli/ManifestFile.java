package io.forebay.sidecar.cli;

import io.forebay.api.manifest.ManifestText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a manifest that a command line names, and the folder that {@code file://./} in it means. Only regular files and standard
 * input are read, and never more than a manifest may have: what is named by mistake may have no end.
 *
 * @param folder absolute; null: there is none
 */
record ManifestFile(byte[] text, @Nullable Path folder) {
    private static final String STANDARD_INPUT = "-";

    /** It is not read. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        /** @param message why, and what to do; without the file's name */
        Refused(String message) {
            super(message);
        }
    }

    /** @param name a path; "-" is standard input */
    static ManifestFile read(String name, InputStream standardInput) throws Refused {
        try {
            if (name.equals(STANDARD_INPUT)) {
                return new ManifestFile(bounded(standardInput), Path.of("").toAbsolutePath());
            }
            var path = Path.of(name);
            if (Files.isDirectory(path)) {
                throw new Refused("it is a folder; name the manifest in it");
            }
            if (Files.exists(path) && !Files.isRegularFile(path)) {
                throw new Refused(
                        "it is no regular file (a pipe or a device); name a file, or - to read standard input");
            }
            try (var in = Files.newInputStream(path)) {
                return new ManifestFile(
                        bounded(in), path.toAbsolutePath().normalize().getParent());
            }
        } catch (NoSuchFileException e) {
            throw new Refused("there is no such file");
        } catch (AccessDeniedException e) {
            throw new Refused("the file may not be read (permission denied)");
        } catch (IOException e) {
            throw new Refused("the file cannot be read: " + e.getMessage());
        }
    }

    private static byte[] bounded(InputStream in) throws IOException, Refused {
        var text = in.readNBytes(ManifestText.MAX_BYTES + 1);
        if (text.length > ManifestText.MAX_BYTES) {
            throw new Refused("it has more than " + ManifestText.MAX_BYTES
                    + " bytes, the most that a manifest may have; is it another file?");
        }
        return text;
    }
}
