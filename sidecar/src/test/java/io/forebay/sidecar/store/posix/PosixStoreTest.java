package io.forebay.sidecar.store.posix;

import static io.forebay.sidecar.store.posix.PosixFixture.NO_BYTES;
import static io.forebay.sidecar.store.posix.PosixFixture.failure;
import static io.forebay.sidecar.store.posix.PosixFixture.publish;
import static io.forebay.sidecar.store.posix.PosixFixture.read;
import static io.forebay.sidecar.store.posix.PosixFixture.request;
import static io.forebay.sidecar.store.posix.PosixFixture.source;
import static io.forebay.sidecar.store.posix.PosixFixture.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.name.NameBytes;
import io.forebay.api.value.StoreUri.Scheme;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.os.RealFolders;
import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** On a real disk and in real memory. Each test ends without temporary names and open descriptors. */
@ParameterizedClass
@MethodSource("io.forebay.sidecar.os.RealFolders#parents")
class PosixStoreTest {
    @Parameter
    Path parent;

    private Path root;
    private Store store;

    @BeforeEach
    void open() throws Exception {
        root = Path.of(RealFolders.create(parent));
        store = PosixStore.open(Scheme.FILE);
    }

    @AfterEach
    void close() throws Exception {
        store.close(); // roots of outputs are kept open until then
        PosixFixture.await("no descriptor is left open", () -> {
            try {
                return PosixFixture.openBelow(root).isEmpty();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        FileTree.delete(root.toString());
    }

    private String key(String name) {
        return root + "/" + name;
    }

    private StagedFile stageBytes(String name, byte[] bytes) throws Exception {
        return stage(store, request(root.toString(), key(name), bytes.length, FileMeta.UNKNOWN), source(bytes));
    }

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static long crc(byte[] bytes) {
        return Crc32c.of(ByteBuffer.wrap(bytes));
    }

    // ---- staging and publishing

    @Test
    @DisplayName("P1 nothing is visible before the publication, all of it after, and no temporary name is left")
    void publishesWhole() throws Exception {
        var bytes = random(3_000_000);
        var staged = stageBytes("sub/x.nii", bytes);
        assertThat(staged.crc32c()).isEqualTo(crc(bytes));
        assertThat(staged.stub().handle()).startsWith(".fb-");
        assertThat(Path.of(key("sub/x.nii"))).doesNotExist();
        publish(store, staged);
        assertThat(Files.readAllBytes(Path.of(key("sub/x.nii")))).isEqualTo(bytes);
        assertThat(PosixFixture.temporaryNames(root)).isEmpty();
    }

    @Test
    void stagesEmptyFiles() throws Exception {
        var staged = stageBytes("empty", new byte[0]);
        assertThat(staged.crc32c()).isZero();
        publish(store, staged);
        assertThat(Path.of(key("empty"))).isEmptyFile();
    }

    @Test
    @DisplayName("P12 a missing destination folder is made with its parents, root included")
    void makesParents() throws Exception {
        var deep = root + "/not/yet/there";
        var request = request(deep, deep + "/a/b/c.txt", 1, FileMeta.UNKNOWN);
        publish(store, stage(store, request, source(new byte[] {1})));
        assertThat(Path.of(deep, "a/b/c.txt")).hasBinaryContent(new byte[] {1});
    }

    @Test
    void manyFilesIntoOneNewFolderAtOnce() throws Exception {
        var threads = java.util.stream.IntStream.range(0, 40)
                .mapToObj(i -> Thread.ofVirtual().unstarted(() -> {
                    try {
                        var bytes = ("file " + i).getBytes(StandardCharsets.UTF_8);
                        var r = new StageRequest(
                                key("new/deep/" + i), root.toString(), bytes.length, FileMeta.UNKNOWN, "t" + i);
                        publish(store, stage(store, r, source(bytes)));
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (var t : threads) {
            t.join();
        }
        for (int i = 0; i < 40; i++) {
            assertThat(Path.of(key("new/deep/" + i))).hasContent("file " + i);
        }
    }

    @Test
    @DisplayName("P9 readers see the old file or the new one, each whole, during 200 publications")
    void replacesAtomically() throws Exception {
        var a = random(50_000);
        var b = random(60_000);
        publish(store, stageBytes("f", a));
        var stop = new AtomicBoolean();
        var wrong = new AtomicInteger();
        var reads = new AtomicInteger();
        var reader = Thread.ofPlatform().start(() -> {
            while (!stop.get()) {
                try {
                    var seen = Files.readAllBytes(Path.of(key("f")));
                    reads.incrementAndGet();
                    if (!java.util.Arrays.equals(seen, a) && !java.util.Arrays.equals(seen, b)) {
                        wrong.incrementAndGet();
                    }
                } catch (IOException e) {
                    wrong.incrementAndGet();
                }
            }
        });
        for (int i = 0; i < 200 || reads.get() < 10_000 && i < 5_000; i++) {
            publish(store, stageBytes("f", i % 2 == 0 ? b : a));
        }
        stop.set(true);
        reader.join();
        assertThat(wrong).hasValue(0);
        assertThat(reads.get()).isGreaterThan(100);
    }

    @Test
    @DisplayName("C10 a publication carried out again finds it done")
    void publishesAgain() throws Exception {
        var staged = stageBytes("f", random(1000));
        publish(store, staged);
        publish(store, staged);
        assertThat(Files.readAllBytes(Path.of(key("f")))).isEqualTo(random(1000));
    }

    @Test
    @DisplayName("C10 a publication whose temporary file is gone is lost, unless the final file is the staged one")
    void noticesLoss() throws Exception {
        var staged = stageBytes("f", random(1000));
        store.discard(staged.stub());
        assertThat(store.publish(staged, NO_BYTES)).isEqualTo(Store.PublishOutcome.LOST);
        Files.write(Path.of(key("f")), random(999));
        assertThat(store.publish(staged, NO_BYTES)).isEqualTo(Store.PublishOutcome.LOST);
        var other = random(1000);
        other[500]++;
        Files.write(Path.of(key("f")), other);
        assertThat(store.publish(staged, NO_BYTES)).isEqualTo(Store.PublishOutcome.LOST);
        Files.write(Path.of(key("f")), random(1000));
        assertThat(store.publish(staged, NO_BYTES)).isEqualTo(Store.PublishOutcome.PUBLISHED);
    }

    @Test
    void doesNotPublishATemporaryFileThatSomebodyCut() throws Exception {
        var staged = stageBytes("f", random(1000));
        Files.write(root.resolve(staged.stub().handle()), random(10));
        assertThat(store.publish(staged, NO_BYTES)).isEqualTo(Store.PublishOutcome.LOST);
        assertThat(Path.of(key("f"))).doesNotExist();
        store.discard(staged.stub());
    }

    @Test
    void publishesIntoAFolderThatIsGoneAsLost() throws Exception {
        var staged = stageBytes("d/f", random(10));
        FileTree.delete(key("d"));
        var quick = new PosixStore(LustreTool.none(), Duration.ofMillis(50), 1 << 20);
        assertThat(quick.publish(staged, NO_BYTES)).isEqualTo(Store.PublishOutcome.LOST);
        quick.close();
    }

    @Test
    @DisplayName("C6 what an earlier life left under the temporary name is not appended to")
    void beginsAnew() throws Exception {
        var stub = store.prepare(request(root.toString(), key("f"), 10, FileMeta.UNKNOWN));
        Files.write(root.resolve(stub.handle()), new byte[5000]);
        publish(store, stageBytes("f", random(10)));
        assertThat(Files.readAllBytes(Path.of(key("f")))).isEqualTo(random(10));
    }

    @Test
    @DisplayName("C6 a write that an earlier life still has under way cannot reach the new temporary file")
    void isSafeFromStragglers() throws Exception {
        var stub = store.prepare(request(root.toString(), key("f"), 10, FileMeta.UNKNOWN));
        store.open(stub).close();
        try (var straggler = Posix.open(root + "/" + stub.handle(), Open.WRONLY)) {
            var staged = stageBytes("f", random(10));
            PosixIo.pwrite(straggler, ByteBuffer.allocateDirect(10), 0);
            publish(store, staged);
        }
        assertThat(Files.readAllBytes(Path.of(key("f")))).isEqualTo(random(10));
    }

    @Test
    void discardsWhatWasStaged() throws Exception {
        var staged = stageBytes("d/f", random(10));
        store.discard(staged.stub());
        store.discard(staged.stub());
        assertThat(PosixFixture.temporaryNames(root)).isEmpty();
        store.discard(store.prepare(request(root + "/absent", root + "/absent/d/f", 10, FileMeta.UNKNOWN)));
    }

    @Test
    void preparesWithoutATrace() throws Exception {
        store.prepare(request(root + "/d", root + "/d/f", 10, FileMeta.UNKNOWN));
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void writesPartsInAnyOrderAndAgain() throws Exception {
        store.close();
        store = new PosixStore(LustreTool.none(), Duration.ofSeconds(1), 1 << 20);
        long size = (2 << 20) + 12345;
        // Each byte tells its offset's 64 KiB block.
        Store.PieceSource source = (offset, dst) -> {
            for (long o = offset; dst.hasRemaining(); o++) {
                dst.put((byte) (1 + (o >> 16) % 250));
            }
        };
        StagedFile staged;
        try (var write = store.open(store.prepare(request(root.toString(), key("big"), size, FileMeta.UNKNOWN)))) {
            assertThat(write.parts()).isEqualTo(3);
            assertThat(write.length(2)).isEqualTo(12345);
            var scratch = ByteBuffer.allocateDirect(100_000);
            write.write(2, source, scratch);
            assertThatThrownBy(write::seal)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("part 0");
            write.write(1, (offset, dst) -> dst.put(new byte[dst.remaining()]), scratch);
            write.write(0, source, scratch);
            write.write(1, source, scratch);
            staged = write.seal();
        }
        publish(store, staged);
        var expected = ByteBuffer.allocate((int) size);
        source.fill(0, expected);
        assertThat(Files.readAllBytes(Path.of(key("big")))).isEqualTo(expected.array());
        assertThat(crc(expected.array())).isEqualTo(staged.crc32c());
    }

    @Test
    @DisplayName("N7 zeros become holes, and zeros written over other bytes do not keep them")
    void keepsSparseFilesSparse() throws Exception {
        int size = 32 << 20;
        var bytes = new byte[size];
        System.arraycopy(random(70_000), 0, bytes, 5_000_000, 70_000);
        publish(store, stageBytes("sparse", bytes));
        assertThat(Files.readAllBytes(Path.of(key("sparse")))).isEqualTo(bytes);
        assertThat(Posix.stat(key("sparse")).allocatedBytes()).isLessThan(300_000);

        try (var write = store.open(store.prepare(request(root.toString(), key("again"), size, FileMeta.UNKNOWN)))) {
            var scratch = ByteBuffer.allocateDirect(1 << 20);
            write.write(
                    0,
                    (offset, dst) -> {
                        while (dst.hasRemaining()) {
                            dst.put((byte) 7);
                        }
                    },
                    scratch);
            assertThat(write.write(0, source(bytes), scratch)).isEqualTo(crc(bytes));
            publish(store, write.seal());
        }
        assertThat(Files.readAllBytes(Path.of(key("again")))).isEqualTo(bytes);
    }

    @Test
    void keepsAFileOfZerosAlone() throws Exception {
        publish(store, stageBytes("zeros", new byte[1_000_001]));
        assertThat(Files.readAllBytes(Path.of(key("zeros")))).isEqualTo(new byte[1_000_001]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxr-xr-x", "rw-r-----"})
    @DisplayName("N6 mode and mtime are kept")
    void keepsModeAndMtime(String mode) throws Exception {
        var source = Files.write(root.resolve("source"), random(10));
        Files.setPosixFilePermissions(source, PosixFilePermissions.fromString(mode));
        try (var fd = Posix.open(source.toString(), Open.WRONLY)) {
            Posix.setMtime(fd, 1_500_000_000_123_456_789L);
        }
        var entry = store.stat(source.toString());
        publish(store, stage(store, request(root.toString(), key("copy"), 10, entry.meta()), source(random(10))));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(key("copy")))))
                .isEqualTo(mode);
        assertThat(store.stat(key("copy")).meta()).isEqualTo(entry.meta());
    }

    @Test
    void setsNoSetUserIdBit() throws Exception {
        publish(
                store,
                stage(
                        store,
                        request(root.toString(), key("f"), 0, new FileMeta(06755, -1, null)),
                        source(new byte[0])));
        assertThat(store.stat(key("f")).meta().mode()).isEqualTo(0755);
    }

    @Test
    void stagesSymbolicLinksAsLinks() throws Exception {
        var meta = new FileMeta(0777, 1_000_000_000L, "../some where");
        var staged = stage(store, request(root.toString(), key("d/l"), 0, meta), source(new byte[0]));
        assertThat(staged.stub().kind()).isEqualTo(StagedFile.Kind.LINK);
        assertThat(Files.exists(Path.of(key("d/l")), LinkOption.NOFOLLOW_LINKS)).isFalse();
        publish(store, staged);
        publish(store, staged);
        assertThat(Files.readSymbolicLink(Path.of(key("d/l")))).hasToString("../some where");
        assertThat(Posix.lstat(key("d/l")).mtimeNanos()).isEqualTo(1_000_000_000L);
        Files.delete(Path.of(key("d/l")));
        assertThat(store.publish(staged, NO_BYTES)).isEqualTo(Store.PublishOutcome.LOST);
    }

    @Test
    void publishesFoldersOnlyAtTheCommit() throws Exception {
        var staged = stage(
                store,
                request(root.toString(), key("d/e/"), 0, new FileMeta(0750, 1_000_000_000L, null)),
                source(new byte[0]));
        assertThat(staged.stub().kind()).isEqualTo(StagedFile.Kind.FOLDER);
        assertThat(root).isEmptyDirectory();
        store.discard(staged.stub());
        publish(store, staged);
        publish(store, staged);
        assertThat(store.stat(key("d/e")).meta()).isEqualTo(new FileMeta(0750, 1_000_000_000L, null));
    }

    @Test
    @DisplayName("N1 names of any bytes are published as they are")
    void keepsNamesOfAnyBytes() throws Exception {
        for (var n : List.of(
                "with space",
                "new\nline",
                "tab\t",
                "'\"",
                "-x",
                "$(x)",
                "*",
                "e\u0301",
                "\u00e9",
                "\uD83D\uDE00",
                "a\\b",
                NameBytes.decode(new byte[] {(byte) 0xFF, (byte) 0xFE}))) {
            publish(store, stageBytes("sub " + n + "/" + n, random(20)));
            assertThat(read(store, store.stat(key("sub " + n + "/" + n)).version(), 100))
                    .isEqualTo(random(20));
        }
    }

    // ---- containment

    @ParameterizedTest
    @ValueSource(strings = {"../x", "a/../../x", "a/./b", "a//b", "", "/", "a\0b", "..", "a/.."})
    @DisplayName("N3 keys that leave the root, or are no names, are refused")
    void refusesKeysThatLeaveTheRoot(String name) {
        var e = failure(() -> store.prepare(request(root.toString(), root + "/" + name, 1, FileMeta.UNKNOWN)));
        assertThat(e.kind()).isEqualTo(Kind.BAD_NAME);
        assertThat(e).hasMessageContaining(root.toString());
    }

    @Test
    @DisplayName("N3 a key beside the root is refused, also if its text begins with the root's")
    void refusesKeysBesideTheRoot() {
        for (var key : List.of("/etc/x", root + "x/y", "relative")) {
            assertThat(failure(() -> store.prepare(request(root.toString(), key, 1, FileMeta.UNKNOWN)))
                            .kind())
                    .isEqualTo(Kind.BAD_NAME);
        }
    }

    @Test
    @DisplayName("N4 a name of 256 bytes is refused with the limit, one of 255 is not")
    void refusesLongNames() throws Exception {
        var e = failure(() -> store.prepare(request(root.toString(), key("é".repeat(128)), 1, FileMeta.UNKNOWN)));
        assertThat(e.kind()).isEqualTo(Kind.BAD_NAME);
        assertThat(e).hasMessageContaining("256 bytes").hasMessageContaining("limit is 255");
        publish(store, stageBytes("é".repeat(127) + "x", random(1)));
    }

    @Test
    @DisplayName("N3 no byte is written through a symbolic link below the root")
    void followsNoLinkBelowTheRoot() throws Exception {
        var outside = Files.createDirectory(root.resolve("outside"));
        var dest = Files.createDirectory(root.resolve("dest"));
        Files.createSymbolicLink(dest.resolve("link"), outside);
        var e = failure(() ->
                stage(store, request(dest.toString(), dest + "/link/x", 1, FileMeta.UNKNOWN), source(new byte[1])));
        assertThat(e.kind()).isEqualTo(Kind.BAD_NAME);
        assertThat(e).hasMessageContaining("symbolic link").hasMessageContaining(dest + "/link");
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    @DisplayName("N3 a folder exchanged for a link between staging and publication is not followed")
    void isNotTrickedBetweenStagingAndPublication() throws Exception {
        var outside = Files.createDirectory(root.resolve("outside"));
        var staged = stageBytes("dest/d/x", random(5));
        Files.write(outside.resolve(staged.stub().handle()), random(5));
        FileTree.delete(key("dest/d"));
        Files.createSymbolicLink(Path.of(key("dest/d")), outside);
        assertThat(failure(() -> store.publish(staged, NO_BYTES)).kind()).isEqualTo(Kind.BAD_NAME);
        assertThat(failure(() -> store.discard(staged.stub())).kind()).isEqualTo(Kind.BAD_NAME);
        assertThat(outside.resolve("x")).doesNotExist();
        FileTree.delete(outside.toString());
    }

    @Test
    void followsLinksInTheRootItself() throws Exception {
        var real = Files.createDirectory(root.resolve("real"));
        Files.createSymbolicLink(root.resolve("scratch"), real);
        var r = root + "/scratch/results";
        publish(store, stage(store, request(r, r + "/x", 3, FileMeta.UNKNOWN), source(random(3))));
        assertThat(real.resolve("results/x")).exists();
    }

    @Test
    void replacesALinkAtTheFinalNameAndNotWhatItNames() throws Exception {
        var kept = Files.writeString(root.resolve("kept"), "kept");
        Files.createSymbolicLink(root.resolve("f"), kept);
        publish(store, stageBytes("f", random(5)));
        assertThat(kept).hasContent("kept");
        assertThat(Files.isSymbolicLink(root.resolve("f"))).isFalse();
    }

    @Test
    void saysWhenAFolderHasTheFinalName() throws Exception {
        Files.createDirectory(root.resolve("f"));
        assertThat(failure(() -> stageBytes("f", random(5)))).hasMessageContaining("a folder of that name is there");
    }

    @Test
    void saysWhenAFileIsInTheWay() throws Exception {
        Files.writeString(root.resolve("f"), "file");
        var e = failure(() -> stageBytes("f/x", random(5)));
        assertThat(e.kind()).isEqualTo(Kind.BAD_NAME);
        assertThat(e).hasMessageContaining(root + "/f is no folder");
    }

    @Test
    void failsForASourceThatFails() {
        var e = failure(() -> stage(store, request(root.toString(), key("f"), 5, FileMeta.UNKNOWN), (offset, dst) -> {
            throw new IOException("buffer gone");
        }));
        assertThat(e.kind()).isEqualTo(Kind.PERMANENT);
        assertThat(e).hasMessageContaining("buffer gone").hasCauseInstanceOf(IOException.class);
    }

    // ---- reading

    @ParameterizedTest
    @ValueSource(ints = {1000, 4096, 1 << 20})
    void readsRangesInPieces(int scratch) throws Exception {
        var bytes = random(1_500_000);
        Files.write(root.resolve("f"), bytes);
        var version = store.stat(key("f")).version();
        assertThat(read(store, version, scratch)).isEqualTo(bytes);
        var got = new java.io.ByteArrayOutputStream();
        store.read(version, 1_000_000, 123_456, ByteBuffer.allocateDirect(scratch), (offset, piece) -> {
            var b = new byte[piece.remaining()];
            piece.get(b);
            got.write(b);
        });
        assertThat(got.toByteArray()).isEqualTo(java.util.Arrays.copyOfRange(bytes, 1_000_000, 1_123_456));
    }

    @Test
    @DisplayName("N7 holes are read as zeros, data between them as it is")
    void readsSparseFiles() throws Exception {
        int size = 20_000_000;
        var expected = new byte[size];
        try (var fd = Posix.open(key("f"), Open.WRONLY | Open.CREAT, 0600)) {
            PosixIo.ftruncate(fd, size);
            for (int at : new int[] {1_500_000, 7_000_001, 7_000_002, 19_999_000}) {
                var bytes = random(at % 1000 + 500);
                PosixIo.pwrite(
                        fd, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip(), at);
                System.arraycopy(bytes, 0, expected, at, bytes.length);
            }
        }
        for (int scratch : new int[] {1000, 64 << 10, 1 << 20}) {
            assertThat(read(store, store.stat(key("f")).version(), scratch)).isEqualTo(expected);
        }
    }

    @Test
    void readsNothingOfAnEmptyFile() throws Exception {
        Files.write(root.resolve("f"), new byte[0]);
        assertThat(read(store, store.stat(key("f")).version(), 100)).isEmpty();
    }

    @Test
    @DisplayName("I4 a file overwritten with equal size, cut, grown, replaced or removed is not the pinned one")
    void noticesChanges() throws Exception {
        var f = Files.write(root.resolve("f"), random(1000));
        var version = store.stat(key("f")).version();
        store.checkUnchanged(version);
        Files.write(f, new byte[1000]);
        requireChanged(version);
        Files.write(f, new byte[10]);
        requireChanged(version);
        Files.write(f, new byte[2000]);
        requireChanged(version);
        Files.delete(f);
        assertThat(failure(() -> store.checkUnchanged(version)).kind()).isEqualTo(Kind.CHANGED);
        assertThat(failure(() -> read(store, version, 100)).kind()).isEqualTo(Kind.NOT_FOUND);
    }

    private void requireChanged(Version version) {
        assertThat(failure(() -> store.checkUnchanged(version)).kind()).isEqualTo(Kind.CHANGED);
        assertThat(failure(() -> read(store, version, 100)).kind()).isEqualTo(Kind.CHANGED);
    }

    @Test
    @DisplayName("I4 times set back do not hide a change")
    void noticesAChangeWithTheOldMtime() throws Exception {
        var f = Files.write(root.resolve("f"), random(1000));
        var entry = store.stat(key("f"));
        Files.write(f, new byte[1000]);
        try (var fd = Posix.open(key("f"), Open.WRONLY)) {
            Posix.setMtime(fd, entry.meta().mtimeNanos());
        }
        requireChanged(entry.version());
    }

    @Test
    @DisplayName("I4 a file that changes while it is read is noticed before the read ends")
    void noticesAChangeDuringTheRead() throws Exception {
        var f = Files.write(root.resolve("f"), random(3_000_000));
        var version = store.stat(key("f")).version();
        var e = failure(() ->
                store.read(version, 0, version.size(), ByteBuffer.allocateDirect(1 << 20), (offset, piece) -> {
                    if (offset == 0) {
                        try (var fd = Posix.open(f.toString(), Open.WRONLY)) {
                            PosixIo.ftruncate(fd, 2_000_000);
                        }
                    }
                }));
        assertThat(e.kind()).isEqualTo(Kind.CHANGED);
        assertThat(e).hasMessageContaining("3000000 then, 2000000 now");
    }

    @Test
    void isNotHeldUpByAFifoThatTookTheName() throws Exception {
        Files.write(root.resolve("f"), random(10));
        var version = store.stat(key("f")).version();
        Files.delete(root.resolve("f"));
        Posix.mkfifoat(null, key("f"), 0600);
        assertThat(failure(() -> read(store, version, 100)).kind()).isEqualTo(Kind.CHANGED);
        assertThat(failure(() -> store.stat(key("f")))).hasMessageContaining("FIFO");
    }

    @Test
    void stopsWhenTheSinkFails() throws Exception {
        Files.write(root.resolve("f"), random(3_000_000));
        var version = store.stat(key("f")).version();
        var e = failure(
                () -> store.read(version, 0, version.size(), ByteBuffer.allocateDirect(1 << 20), (offset, piece) -> {
                    throw new IOException("tier full");
                }));
        assertThat(e).hasMessageContaining("tier full");
    }

    @Test
    void honoursInterruption() throws Exception {
        Files.write(root.resolve("f"), random(3_000_000));
        var version = store.stat(key("f")).version();
        assertThatThrownBy(() -> store.read(
                        version,
                        0,
                        version.size(),
                        ByteBuffer.allocateDirect(1 << 20),
                        (offset, piece) -> Thread.currentThread().interrupt()))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void tellsFilesAndFolders() throws Exception {
        Files.createSymbolicLink(root.resolve("l"), Path.of("f"));
        Files.write(root.resolve("f"), random(7));
        assertThat(store.stat(key("l")).version().size()).isEqualTo(7);
        assertThat(store.stat(key("l")).kind()).isEqualTo(Entry.Kind.FILE);
        assertThat(store.stat(root.toString()).kind()).isEqualTo(Entry.Kind.FOLDER);
        var e = failure(() -> store.stat(key("absent")));
        assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(e).hasMessage("reading " + key("absent") + " failed: no such file or directory (ENOENT)");
    }

    // ---- small files

    @Test
    void createsExclusively() throws Exception {
        assertThat(store.createExclusively(key("r/a"), random(10))).isTrue();
        assertThat(store.createExclusively(key("r/a"), random(20))).isFalse();
        assertThat(store.get(key("r/a"), 100)).isEqualTo(random(10));
        assertThat(PosixFixture.temporaryNames(root)).isEmpty();
    }

    @Test
    @DisplayName("R4 of many that create the same name at once, one succeeds")
    void oneOfManyCreates() throws Exception {
        var won = new AtomicInteger();
        var threads = java.util.stream.IntStream.range(0, 30)
                .mapToObj(i -> Thread.ofVirtual().unstarted(() -> {
                    try {
                        if (store.createExclusively(key("r/one"), new byte[] {(byte) i})) {
                            won.incrementAndGet();
                        }
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (var t : threads) {
            t.join();
        }
        assertThat(won).hasValue(1);
        assertThat(PosixFixture.temporaryNames(root)).isEmpty();
    }

    @Test
    void putsGetsAndDeletes() throws Exception {
        store.put(key("r/a"), random(10));
        store.put(key("r/a"), random(30));
        assertThat(store.get(key("r/a"), 30)).isEqualTo(random(30));
        assertThat(failure(() -> store.get(key("r/a"), 29)).kind()).isEqualTo(Kind.TOO_LARGE);
        assertThat(failure(() -> store.get(key("r/b"), 29)).kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(failure(() -> store.get(key("r"), 29))).hasMessageContaining("FOLDER");
        store.delete(key("r/a"));
        store.delete(key("r/a"));
        store.delete(key("r/"));
        store.delete(key("r/"));
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void saysWhatItCanDo() throws Exception {
        assertThat(store.capabilities().inlineBelow()).isZero();
        assertThat(store.capabilities().exclusiveCreate()).isTrue();
        assertThat(store.capabilities().maxKeyBytes()).isEqualTo(255);
    }

    @Test
    void refusesWorkAfterItIsClosed() throws Exception {
        var closed = PosixStore.open(Scheme.FILE);
        closed.stat(root.toString());
        closed.close();
        assertThat(failure(() -> closed.stat(root.toString()))).hasMessageContaining("closed");
        assertThatThrownBy(() -> PosixStore.open(Scheme.S3)).isInstanceOf(IllegalArgumentException.class);
    }
}
