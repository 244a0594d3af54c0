package io.forebay.sidecar.cli;

import io.forebay.sidecar.os.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A temporary folder for one command; gone at the close. */
final class Scratch implements AutoCloseable {
    private final Path folder;

    Scratch() throws CliException {
        try {
            folder = Files.createTempDirectory("forebay-");
        } catch (IOException e) {
            throw new CliException(
                    75,
                    "cannot make a temporary folder in " + System.getProperty("java.io.tmpdir") + ": " + e.getMessage()
                            + ". Set TMPDIR to a folder that can be written.");
        }
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        FileTree.delete(folder.toString());
    }
}
