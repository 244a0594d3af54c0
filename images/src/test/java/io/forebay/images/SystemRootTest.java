package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemRootTest {
    @TempDir
    Path folder;

    @Test
    void linksStayInside() throws IOException {
        var file =
                Files.createFile(Files.createDirectories(folder.resolve("a/b")).resolve("file"));
        Files.createSymbolicLink(folder.resolve("absolute"), Path.of("/a/b"));
        Files.createSymbolicLink(folder.resolve("a/up"), Path.of("../../../a/b/file"));
        var root = new SystemRoot(folder);

        assertThat(root.file("/a/b/file")).contains(file);
        assertThat(root.file("/absolute/file")).contains(file);
        assertThat(root.file("/a/up")).contains(file);
    }

    @Test
    void whatIsMissingOrAFolderOrALoopIsNoFile() throws IOException {
        Files.createDirectory(folder.resolve("a"));
        Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        var root = new SystemRoot(folder);

        assertThat(root.file("/a")).isEmpty();
        assertThat(root.file("/b/c")).isEmpty();
        assertThat(root.file("/loop/c")).isEmpty();
    }
}
