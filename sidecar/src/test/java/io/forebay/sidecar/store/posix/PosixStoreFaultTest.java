package io.forebay.sidecar.store.posix;

import static io.forebay.sidecar.store.posix.PosixFixture.NO_BYTES;
import static io.forebay.sidecar.store.posix.PosixFixture.await;
import static io.forebay.sidecar.store.posix.PosixFixture.failure;
import static io.forebay.sidecar.store.posix.PosixFixture.list;
import static io.forebay.sidecar.store.posix.PosixFixture.publish;
import static io.forebay.sidecar.store.posix.PosixFixture.read;
import static io.forebay.sidecar.store.posix.PosixFixture.request;
import static io.forebay.sidecar.store.posix.PosixFixture.source;
import static io.forebay.sidecar.store.posix.PosixFixture.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.PosixProcess;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On a file system that fails, hangs and dawdles. */
@Timeout(120)
class PosixStoreFaultTest {
    @TempDir
    static Path folder;

    private static Optional<String> missing = Optional.empty();
    private static FaultyFs fs;

    private Path root;
    private PosixStore store;

    @BeforeAll
    static void mount() throws Exception {
        missing = FaultyFs.missing();
        if (missing.isEmpty()) {
            fs = FaultyFs.mount(folder);
        }
    }

    @AfterAll
    static void unmount() throws Exception {
        if (fs != null) {
            fs.close();
        }
    }

    @BeforeEach
    void open() throws Exception {
        // Here, since what is left out before all tests is told by nobody.
        assumeTrue(missing.isEmpty(), () -> "no tests on a faulty file system: " + missing.orElseThrow());
        root = Files.createTempDirectory(fs.root(), "test-");
        store = new PosixStore(LustreTool.none(), Duration.ofMillis(400), 1 << 20);
    }

    @AfterEach
    void close() throws Exception {
        if (missing.isPresent()) {
            return;
        }
        fs.tell("clear");
        store.close();
        await("no descriptor is left open", () -> {
            try {
                return PosixFixture.openBelow(root).isEmpty();
            } catch (java.io.IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private StageRequest at(String name, int size) {
        return request(root.toString(), root + "/" + name, size, FileMeta.UNKNOWN);
    }

    @Test
    @DisplayName("D2 20 MB with 8 MiB free: no space, needed and free bytes named, nothing at the final name")
    void tellsWhatIsNeededAndFree() throws Exception {
        fs.tell("space " + (8 << 20));
        var e = failure(() -> stage(store, at("d/big", 20_000_000), source(random(20_000_000))));
        assertThat(e.kind()).isEqualTo(Kind.NO_SPACE);
        assertThat(e)
                .hasMessageContaining("ENOSPC")
                .hasMessageContaining("20000000 bytes (19.1 MiB)")
                .hasMessageContaining("free at " + root + "/d/");
        assertThat(root.resolve("d/big")).doesNotExist();
        store.discard(store.prepare(at("d/big", 20_000_000)));
        assertThat(root.resolve("d")).isEmptyDirectory();
    }

    @ParameterizedTest
    @EnumSource(names = {"ENOSPC", "EDQUOT"})
    @DisplayName("D2 space that is found lacking only at the fsync is told as such")
    void tellsSpaceLackingAtTheFsync(Errno errno) throws Exception {
        fs.tell("fail fsync " + errno.number() + " 1");
        var e = failure(() -> stage(store, at("f", 100), source(random(100))));
        assertThat(e.kind()).isEqualTo(Kind.NO_SPACE);
        assertThat(e).hasMessageContaining(errno.name()).hasMessageContaining("100 bytes");
    }

    @Test
    @DisplayName("C8 EIO once in a write is transient; the part is written again and the file is whole")
    void writesAgainAfterAnError() throws Exception {
        var bytes = random(1_000_000);
        try (var write = store.open(store.prepare(at("f", bytes.length)))) {
            var scratch = ByteBuffer.allocateDirect(100_000);
            fs.tell("fail write 5 1");
            var e = failure(() -> write.write(0, source(bytes), scratch));
            assertThat(e.kind()).isEqualTo(Kind.TRANSIENT);
            assertThat(e).hasMessageContaining("EIO").hasMessageContaining(root + "/f");
            write.write(0, source(bytes), scratch);
            publish(store, write.seal());
        }
        assertThat(Files.readAllBytes(root.resolve("f"))).isEqualTo(bytes);
    }

    @Test
    @DisplayName("C8 after a failed fsync the file is never synced again, but staged anew")
    void neverSyncsAgain() throws Exception {
        long before = fs.count("fsync");
        var stub = store.prepare(at("f", 100));
        try (var write = store.open(stub)) {
            write.write(0, source(random(100)), ByteBuffer.allocateDirect(100));
            fs.tell("fail fsync 5 1");
            var e = failure(write::seal);
            assertThat(e.kind()).isEqualTo(Kind.TRANSIENT);
            assertThat(e).hasMessageContaining("must be staged anew");
            assertThat(failure(write::seal)).hasMessageContaining("must be staged anew");
            assertThat(failure(() -> write.write(0, source(random(100)), ByteBuffer.allocateDirect(100)))
                            .kind())
                    .isEqualTo(Kind.TRANSIENT);
            assertThat(fs.count("fsync") - before).isEqualTo(1);
        }
        publish(store, stage(store, at("f", 100), source(random(100))));
        assertThat(Files.readAllBytes(root.resolve("f"))).isEqualTo(random(100));
    }

    @ParameterizedTest
    @EnumSource(names = {"EIO", "ESTALE", "ETIMEDOUT"})
    @DisplayName("C8 a read that fails once is transient and then goes well")
    void readsAgainAfterAnError(Errno errno) throws Exception {
        Files.write(fs.backing().resolve(root.getFileName()).resolve("f"), random(10_000));
        var version = store.stat(root + "/f").version();
        // The kernel itself tries once more after ESTALE.
        fs.tell("fail open " + errno.number() + (errno == Errno.ESTALE ? " 2" : " 1"));
        assertThat(failure(() -> read(store, version, 1000)).kind()).isEqualTo(Kind.TRANSIENT);
        assertThat(read(store, version, 1000)).isEqualTo(random(10_000));
    }

    @Test
    @DisplayName("C8 a rename or a sync of the folder that fails once is transient, and done again")
    void publishesAgainAfterAnError() throws Exception {
        var staged = stage(store, at("f", 100), source(random(100)));
        fs.tell("fail rename 5 1");
        assertThat(failure(() -> store.publish(staged, NO_BYTES)).kind()).isEqualTo(Kind.TRANSIENT);
        fs.tell("fail fsyncdir 5 1");
        assertThat(failure(() -> publish(store, staged)).kind()).isEqualTo(Kind.TRANSIENT);
        publish(store, staged);
        assertThat(Files.readAllBytes(root.resolve("f"))).isEqualTo(random(100));
    }

    @Test
    @DisplayName("P12 ENOENT just after mkdir is tried again")
    void waitsUntilANewFolderIsSeen() throws Exception {
        fs.tell("late 4");
        publish(store, stage(store, at("a/b/f", 100), source(random(100))));
        assertThat(Files.readAllBytes(root.resolve("a/b/f"))).isEqualTo(random(100));
    }

    @Test
    @DisplayName("P12 but not for ever")
    void doesNotWaitForEver() throws Exception {
        fs.tell("late 1000000");
        var e = failure(() -> stage(store, at("a/f", 100), source(random(100))));
        assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(e).hasMessageContaining(root + "/a");
    }

    @Test
    @DisplayName("D1 a denied destination says whose access is missing, to what")
    void tellsWhoIsDenied() throws Exception {
        fs.tell("fail create 13 -1");
        var e = failure(() -> stage(store, at("f", 100), source(random(100))));
        assertThat(e.kind()).isEqualTo(Kind.DENIED);
        assertThat(e)
                .hasMessageContaining("creating " + root + "/f failed: permission denied (EACCES)")
                .hasMessageContaining("uid " + PosixProcess.euid());
        fs.tell("fail create 30 -1");
        assertThat(failure(() -> stage(store, at("f", 100), source(random(100)))))
                .hasMessageContaining("mounted read-only");
    }

    @Test
    @DisplayName("I2 a folder that cannot be read ends the listing with its path, errno and uid")
    void tellsWhichFolderIsDenied() throws Exception {
        Files.createDirectories(root.resolve("a/closed"));
        fs.tell("fail opendir 13 -1 closed");
        var e = failure(() -> list(store, root.toString(), "", SymlinkPolicy.PRESERVE));
        assertThat(e.kind()).isEqualTo(Kind.DENIED);
        assertThat(e)
                .hasMessageContaining("EACCES")
                .hasMessageContaining(root + "/a/closed")
                .hasMessageContaining("uid " + PosixProcess.euid());
    }

    @Test
    @DisplayName("I3 a listing that fails in the middle is a failure, never a shorter list")
    void doesNotTakeAnErrorForTheEnd() throws Exception {
        Files.createDirectories(root.resolve("a/b"));
        Files.write(root.resolve("a/b/f"), random(1));
        fs.tell("fail readdir 5 1 /a/b");
        assertThat(failure(() -> list(store, root.toString(), "", SymlinkPolicy.PRESERVE))
                        .kind())
                .isEqualTo(Kind.TRANSIENT);
        assertThat(list(store, root.toString(), "", SymlinkPolicy.PRESERVE).entries)
                .containsOnlyKeys(root + "/a/b/f");
    }

    @Test
    @DisplayName(
            "Z2 names are looked at side by side: 300 files at 20 ms a call list in less than half of 300 calls' time")
    void hidesLatency() throws Exception {
        for (int i = 0; i < 300; i++) {
            Files.write(fs.backing().resolve(root.getFileName()).resolve("f" + i), new byte[0]);
        }
        // FUSE makes the first look at each name of a folder wait for the one before; network file systems do not.
        list(store, root.toString(), "", SymlinkPolicy.PRESERVE);
        fs.tell("slow any 20000");
        long begin = System.nanoTime();
        assertThat(list(store, root.toString(), "", SymlinkPolicy.PRESERVE).entries)
                .hasSize(300);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMillis(300 * 20 / 2));
    }

    // ---- hanging

    /** Runs it on a thread of its own, which is interrupted once the condition holds; gives back what it threw, and how long it took to leave. */
    private static Throwable interrupted(String operation, long callsBefore, IoCall call) throws Exception {
        var thrown = new AtomicReference<Throwable>();
        var thread = Thread.ofVirtual().start(() -> {
            try {
                call.call();
            } catch (Throwable t) {
                thrown.set(t);
            }
        });
        await("the call hangs", () -> {
            try {
                return fs.count(operation) > callsBefore;
            } catch (java.io.IOException e) {
                throw new AssertionError(e);
            }
        });
        long begin = System.nanoTime();
        thread.interrupt();
        assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
        return thrown.get();
    }

    private interface IoCall {
        void call() throws Exception;
    }

    @Test
    @DisplayName("E9 a file system that hangs lets its callers go, and holds up no other")
    void hangsAlone() throws Exception {
        fs.tell("hang getattr " + root.getFileName());
        var before = fs.count("getattr");
        var hung = new ArrayList<Thread>();
        var gone = new CountDownLatch(100);
        for (int i = 0; i < 100; i++) {
            hung.add(Thread.ofVirtual().start(() -> {
                try {
                    store.stat(root + "/f");
                } catch (InterruptedException e) {
                    gone.countDown();
                } catch (StoreException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        await("all threads of that file system hang", () -> {
            try {
                return fs.count("getattr") >= before + 1;
            } catch (java.io.IOException e) {
                throw new AssertionError(e);
            }
        });
        var elsewhere = Files.createDirectory(folder.resolve("elsewhere-" + System.nanoTime()));
        publish(
                store,
                stage(
                        store,
                        request(elsewhere.toString(), elsewhere + "/f", 10, FileMeta.UNKNOWN),
                        source(random(10))));
        assertThat(elsewhere.resolve("f")).exists();

        hung.forEach(Thread::interrupt);
        assertThat(gone.await(20, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        fs.tell("clear");
        publish(store, stage(store, at("f", 10), source(random(10))));
    }

    @Test
    @DisplayName(
            "E9 a read that was left while it hung writes nothing into memory that is used for something else by then")
    void doesNotWriteIntoMemoryGivenBack() throws Exception {
        Files.write(fs.backing().resolve(root.getFileName()).resolve("f"), random(100_000));
        var version = store.stat(root + "/f").version();
        var scratch = ByteBuffer.allocateDirect(100_000);
        fs.tell("hang read");
        assertThat(interrupted("read", fs.count("read"), () -> store.read(version, 0, 100_000, scratch, (o, p) -> {})))
                .isInstanceOf(InterruptedException.class);
        fs.tell("clear");
        assertThat(read(store, version, 5000)).isEqualTo(random(100_000));
        await("the late read has ended", () -> {
            try {
                return PosixFixture.openBelow(root).isEmpty();
            } catch (java.io.IOException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(scratch).isEqualTo(ByteBuffer.allocateDirect(100_000));
    }

    @Test
    @DisplayName("E9 a write that was left while it hung cannot spoil the part that is written after it")
    void doesNotSpoilTheNextWrite() throws Exception {
        var bytes = random(100_000);
        try (var write = store.open(store.prepare(at("f", bytes.length)))) {
            var scratch = ByteBuffer.allocateDirect(100_000);
            fs.tell("hang write");
            assertThat(interrupted("write", fs.count("write"), () -> write.write(0, source(bytes), scratch)))
                    .isInstanceOf(InterruptedException.class);
            assertThatThrownBy(write::seal).isInstanceOf(IllegalStateException.class);
            // Used for something else, while the write is still under way.
            scratch.clear();
            while (scratch.hasRemaining()) {
                scratch.put((byte) 0x55);
            }
            var release = Thread.ofPlatform().start(() -> {
                try {
                    fs.tell("clear");
                } catch (java.io.IOException e) {
                    throw new AssertionError(e);
                }
            });
            write.write(0, source(bytes), ByteBuffer.allocateDirect(1 << 20));
            release.join();
            publish(store, write.seal());
        }
        assertThat(Files.readAllBytes(root.resolve("f"))).isEqualTo(bytes);
    }

    @Test
    @DisplayName("E9 a seal that was left while it hung must be staged anew")
    void doesNotTrustASealThatWasLeft() throws Exception {
        try (var write = store.open(store.prepare(at("f", 100)))) {
            write.write(0, source(random(100)), ByteBuffer.allocateDirect(100));
            fs.tell("hang fsync");
            assertThat(interrupted("fsync", fs.count("fsync"), write::seal)).isInstanceOf(InterruptedException.class);
            fs.tell("clear");
            assertThat(failure(write::seal)).hasMessageContaining("must be staged anew");
        }
        publish(store, stage(store, at("f", 100), source(random(100))));
    }

    private StagedFile whole(String name, byte[] bytes, ByteBuffer scratch) throws Exception {
        return store.stageWhole(store.prepare(at(name, bytes.length)), source(bytes), scratch, () -> {})
                .orElseThrow();
    }

    @Test
    @DisplayName("C8 a small file whose fsync failed is not synced again, but staged anew")
    void wholeNeverSyncsAgain() throws Exception {
        long before = fs.count("fsync");
        fs.tell("fail fsync 5 1");
        var e = failure(() -> whole("f", random(100), ByteBuffer.allocateDirect(100)));
        assertThat(e.kind()).isEqualTo(Kind.TRANSIENT);
        assertThat(e).hasMessageContaining("must be staged anew");
        assertThat(fs.count("fsync") - before).isEqualTo(1);
        publish(store, whole("f", random(100), ByteBuffer.allocateDirect(100)));
        assertThat(Files.readAllBytes(root.resolve("f"))).isEqualTo(random(100));
    }

    @ParameterizedTest
    @EnumSource(names = {"ENOSPC", "EDQUOT"})
    @DisplayName("D2 a small file that does not fit is told as no space")
    void wholeTellsSpaceLacking(Errno errno) throws Exception {
        fs.tell("fail fsync " + errno.number() + " 1");
        assertThat(failure(() -> whole("f", random(100), ByteBuffer.allocateDirect(100)))
                        .kind())
                .isEqualTo(Kind.NO_SPACE);
    }

    @Test
    @DisplayName("E9 a small file whose write was left while it hung cannot spoil the next try")
    void wholeLeftDoesNotSpoilTheNext() throws Exception {
        for (var operation : new String[] {"create", "write", "fsync"}) {
            var scratch = ByteBuffer.allocateDirect(1000);
            fs.tell("hang " + operation);
            assertThat(interrupted(operation, fs.count(operation), () -> whole(operation, random(1000), scratch)))
                    .as(operation)
                    .isInstanceOf(InterruptedException.class);
            // Used for something else, while the call is still under way.
            scratch.clear();
            while (scratch.hasRemaining()) {
                scratch.put((byte) 0x55);
            }
            fs.tell("clear");
            await("the late call has ended", () -> {
                try {
                    return PosixFixture.openBelow(root).isEmpty();
                } catch (java.io.IOException e) {
                    throw new AssertionError(e);
                }
            });
            publish(store, whole(operation, random(1000), ByteBuffer.allocateDirect(1000)));
            assertThat(Files.readAllBytes(root.resolve(operation))).isEqualTo(random(1000));
        }
        assertThat(PosixFixture.temporaryNames(root)).isEmpty();
    }

    @Test
    @DisplayName(
            "E9 a small file whose creation was left while it hung: nothing is written later from memory given back")
    void wholeLeftWritesNothing() throws Exception {
        long writes = fs.count("write");
        fs.tell("hang create");
        assertThat(interrupted(
                        "create", fs.count("create"), () -> whole("f", random(100), ByteBuffer.allocateDirect(100))))
                .isInstanceOf(InterruptedException.class);
        fs.tell("clear");
        await("the late call has ended", () -> {
            try {
                return PosixFixture.openBelow(root).isEmpty();
            } catch (java.io.IOException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(fs.count("write")).isEqualTo(writes);
        store.discard(store.prepare(at("f", 100)));
    }

    @Test
    @DisplayName("C8 a rename of many that fails once is transient, and done again")
    void publishesManyAgainAfterAnError() throws Exception {
        var files = List.of(stage(store, at("f", 100), source(random(100))));
        fs.tell("fail rename 5 1");
        assertThat(failure(() -> store.publishAll(files)).kind()).isEqualTo(Kind.TRANSIENT);
        assertThat(store.publishAll(files)).containsExactly(Store.PublishOutcome.PUBLISHED);
        assertThat(Files.readAllBytes(root.resolve("f"))).isEqualTo(random(100));
    }
}
