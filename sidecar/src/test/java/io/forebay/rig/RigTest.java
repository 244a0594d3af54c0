package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.Wait;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests of the whole command share: a rig each, and a look at what is left over in the end. */
abstract class RigTest {
    JobRig rig;
    /** Set by tests whose run rightly keeps its buffer. */
    boolean keepsBuffer;

    @BeforeEach
    void open(@TempDir Path folder) {
        rig = new JobRig(folder);
    }

    /** No temporary name at the destination, no buffer, no process of this job. */
    @AfterEach
    void nothingLeft() throws Exception {
        try {
            assertThat(rig.leftovers()).isEmpty();
            if (!keepsBuffer) {
                assertThat(buffers()).isEmpty();
            }
        } finally {
            rig.close();
            for (var buffer : buffers()) {
                io.forebay.sidecar.os.FileTree.delete(buffer.toString());
            }
        }
    }

    List<Path> buffers() throws IOException {
        var found = new ArrayList<Path>();
        for (var base : List.of(Path.of("/dev/shm"), rig.home().resolve("disk"))) {
            try (DirectoryStream<Path> names = Files.newDirectoryStream(base, "forebay-*" + rig.name() + "*")) {
                names.forEach(found::add);
            }
        }
        return found;
    }

    static void eventually(String what, java.util.function.BooleanSupplier condition) {
        Wait.until(what, Duration.ofSeconds(60), condition);
    }

    List<String> lines(String file) throws IOException {
        var path = rig.home().resolve(file);
        return Files.exists(path) ? Files.readAllLines(path) : List.of();
    }

    /** Lines of UNEXPORTED.jsonl. */
    List<String> unexported() throws IOException {
        var list = rig.records().resolve("UNEXPORTED.jsonl");
        return Files.exists(list) ? Files.readAllLines(list) : List.of();
    }
}
