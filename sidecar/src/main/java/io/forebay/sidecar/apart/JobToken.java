package io.forebay.sidecar.apart;

import io.forebay.sidecar.local.RunRefused;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The job's token: what its parts show one another. Comes from a file alone, since arguments and environments can be read by others. */
public final class JobToken {
    private static final int LONGEST = 4096;
    private final String text;

    private JobToken(String text) {
        this.text = text;
    }

    /** The first line of the file. @throws RunRefused 64: it cannot be read, or holds no token */
    public static JobToken read(Path file) throws RunRefused {
        try {
            if (Files.size(file) > LONGEST) {
                throw new RunRefused(
                        64, "the token file " + file + " has more than " + LONGEST + " bytes: is it another file?");
            }
            var text = Files.readString(file, StandardCharsets.ISO_8859_1)
                    .lines()
                    .findFirst()
                    .orElse("")
                    .strip();
            if (text.isEmpty() || !text.chars().allMatch(c -> c > ' ' && c < 127)) {
                throw new RunRefused(
                        64,
                        "the token file " + file
                                + " holds no token: its first line must be printable ASCII without spaces, for example of: openssl rand -hex 16");
            }
            return new JobToken(text);
        } catch (NoSuchFileException e) {
            throw new RunRefused(64, "no such token file: " + file);
        } catch (IOException e) {
            throw new RunRefused(64, "cannot read the token file " + file + ": " + e.getMessage());
        }
    }

    String text() {
        return text;
    }

    @Override
    public String toString() {
        return "the job's token";
    }
}
