package io.forebay.sidecar.store.posix;

import static io.forebay.sidecar.store.posix.PosixFixture.NO_BYTES;
import static io.forebay.sidecar.store.posix.PosixFixture.failure;
import static io.forebay.sidecar.store.posix.PosixFixture.source;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.value.StoreUri.Scheme;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The roots of outputs, made by many at once, and exchanged under a run. */
class RootsTest {
    private static final int AT_ONCE = 16;

    @TempDir
    Path folder;

    private final PosixStore store = PosixStore.open(Scheme.FILE);

    @AfterEach
    void close() {
        store.close();
    }

    private StagedFile stage(Path root, String name) throws StoreException, InterruptedException {
        var stub =
                store.prepare(new StageRequest(root + "/" + name, root.toString(), 1, FileMeta.UNKNOWN, "t-" + name));
        return store.stageWhole(stub, source(new byte[] {1}), ByteBuffer.allocateDirect(1), () -> {})
                .orElseThrow();
    }

    @Test
    @DisplayName("L1 a root that is not there yet is made by many threads at once: it is nobody's replacement")
    void madeByMany() throws Exception {
        try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (int round = 0; round < 100; round++) {
                var root = folder.resolve("deep/root-" + round);
                store.remember(root.toString());
                var barrier = new CyclicBarrier(AT_ONCE);
                List<Callable<StagedFile>> all = new ArrayList<>();
                for (int i = 0; i < AT_ONCE; i++) {
                    var name = "f" + i;
                    all.add(() -> {
                        barrier.await();
                        return stage(root, name);
                    });
                }
                for (var staged : threads.invokeAll(all)) {
                    assertThat(staged.get().size()).isEqualTo(1);
                }
            }
        }
    }

    @Test
    @DisplayName(
            "D2 a root that is exchanged, or gone, gets nothing: not staged, not published, not made durable, and what was staged is not called removed")
    void exchanged() throws Exception {
        var root = Files.createDirectory(folder.resolve("root"));
        var staged = stage(root, "a");
        Files.move(root, folder.resolve("away"));
        refused(root, () -> stage(root, "b"));
        Files.createDirectory(root);
        refused(root, () -> stage(root, "b"));
        refused(root, () -> store.publish(staged, NO_BYTES));
        refused(root, () -> store.publishAll(List.of(staged, staged)));
        refused(root, () -> store.syncFolders(List.of(root + "/deep/x", root + "/a")));
        refused(root, () -> store.discard(staged.stub()));
        assertThat(root).isEmptyDirectory();
        Files.delete(root);
        Files.move(folder.resolve("away"), root);
        PosixFixture.publish(store, staged);
        assertThat(root.resolve("a")).exists();
    }

    private static void refused(Path root, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        var e = failure(call);
        assertThat(e.kind()).as(e.getMessage()).isEqualTo(Kind.PERMANENT);
        assertThat(e.wholeStore()).isTrue();
        assertThat(e).hasMessageContaining(root + "/ is another folder (or file system) now");
    }
}
