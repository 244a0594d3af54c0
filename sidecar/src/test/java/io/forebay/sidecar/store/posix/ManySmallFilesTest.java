package io.forebay.sidecar.store.posix;

import static io.forebay.sidecar.store.posix.PosixFixture.failure;
import static io.forebay.sidecar.store.posix.PosixFixture.source;
import static io.forebay.sidecar.store.posix.PosixFixture.temporaryNames;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException.Kind;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shorter ways: a small file staged in one step, many published in one. */
class ManySmallFilesTest {
    private static final FileMeta META = new FileMeta(0640, 1_700_000_000_123_456_789L, null);

    @TempDir
    Path root;

    private PosixStore store;

    @BeforeEach
    void open() {
        store = new PosixStore(LustreTool.none(), Duration.ofMillis(400), 1 << 20);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private StageRequest at(String name, long size, String token) {
        return new StageRequest(root + "/" + name, root.toString(), size, META, token);
    }

    private StagedFile staged(String name, byte[] bytes, String token) throws Exception {
        return store.stageWhole(
                        store.prepare(at(name, bytes.length, token)),
                        source(bytes),
                        ByteBuffer.allocateDirect(1 << 16),
                        () -> {})
                .orElseThrow();
    }

    private static byte[] content(int size) {
        var bytes = new byte[size];
        new java.util.Random(size).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10, 1 << 16})
    @DisplayName("P1 a small file staged in one step is invisible, then whole, with its mode and time")
    void whole(int size) throws Exception {
        var sealing = new AtomicInteger();
        var scratch = ByteBuffer.allocateDirect(1 << 16);
        var file = store.stageWhole(
                        store.prepare(at("sub/f", size, "t")), source(content(size)), scratch, sealing::incrementAndGet)
                .orElseThrow();
        assertThat(sealing).hasValue(1);
        assertThat(root.resolve("sub/f")).doesNotExist();
        assertThat(file.size()).isEqualTo(size);
        assertThat(file.crc32c()).isEqualTo(io.forebay.sidecar.store.Crc32c.of(ByteBuffer.wrap(content(size))));

        assertThat(store.publishAll(List.of(file))).containsExactly(PublishOutcome.PUBLISHED);

        assertThat(root.resolve("sub/f")).hasBinaryContent(content(size));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("sub/f"))))
                .isEqualTo("rw-r-----");
        assertThat(Files.getLastModifiedTime(root.resolve("sub/f")).to(java.util.concurrent.TimeUnit.NANOSECONDS))
                .isEqualTo(META.mtimeNanos());
        assertThat(temporaryNames(root)).isEmpty();
    }

    @Test
    @DisplayName("what is larger than the memory, or no file, has no shorter way, and nothing is done")
    void notForAll() throws Exception {
        var scratch = ByteBuffer.allocateDirect(100);
        assertThat(store.stageWhole(store.prepare(at("f", 101, "t")), source(content(101)), scratch, () -> {}))
                .isEmpty();
        assertThat(store.stageWhole(store.prepare(at("folder/", 0, "t")), source(content(0)), scratch, () -> {}))
                .isEmpty();
        assertThat(root).isEmptyDirectory();
    }

    @Test
    @DisplayName("C5 a temporary file that an earlier life left is replaced, not written into")
    void replacesWhatWasLeft() throws Exception {
        var stub = store.prepare(at("f", 10, "t"));
        var left = Files.write(root.resolve(stub.handle()), content(5000));
        try (var open = Files.newInputStream(left)) {
            store.publishAll(List.of(staged("f", content(10), "t")));
            assertThat(open.readAllBytes()).isEqualTo(content(5000));
        }
        assertThat(root.resolve("f")).hasBinaryContent(content(10));
    }

    @Test
    @DisplayName("a folder in the way is told before anything is made")
    void folderInTheWay() throws Exception {
        Files.createDirectory(root.resolve("f"));
        var e = failure(() -> staged("f", content(10), "t"));
        assertThat(e.kind()).isEqualTo(Kind.PERMANENT);
        assertThat(e).hasMessageContaining("a folder of that name is there");
        assertThat(temporaryNames(root)).isEmpty();
    }

    @Test
    @DisplayName("a source that fails makes it fail with its cause")
    void failingSource() throws Exception {
        var stub = store.prepare(at("f", 10, "t"));
        var e = failure(() -> store.stageWhole(
                stub,
                (offset, dst) -> {
                    throw new java.io.IOException("unplugged");
                },
                ByteBuffer.allocateDirect(100),
                () -> {}));
        assertThat(e).hasMessageContaining("unplugged");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    @DisplayName("files of several folders are published with one call; done again, all are still published")
    void manyFolders() throws Exception {
        var files = new ArrayList<StagedFile>();
        for (int i = 0; i < 30; i++) {
            files.add(staged(i % 3 == 0 ? "f" + i : "d" + i % 2 + "/e/f" + i, content(i), "t" + i));
        }
        for (int times = 0; times < 2; times++) {
            assertThat(store.publishAll(files)).hasSize(30).containsOnly(PublishOutcome.PUBLISHED);
            for (int i = 0; i < 30; i++) {
                assertThat(root.resolve(i % 3 == 0 ? "f" + i : "d" + i % 2 + "/e/f" + i))
                        .hasBinaryContent(content(i));
            }
            assertThat(temporaryNames(root)).isEmpty();
        }
    }

    @Test
    @DisplayName("O4 of many, those that are gone are told as lost, each at its place, and the others are published")
    void lostOnesAreTold() throws Exception {
        var files = List.of(
                staged("a", content(1), "t1"),
                staged("gone/b", content(2), "t2"),
                staged("gone/c", content(3), "t3"),
                staged("d", content(4), "t4"),
                staged("e", content(5), "t5"));
        io.forebay.sidecar.os.FileTree.delete(root + "/gone");
        Files.delete(root.resolve(files.get(3).stub().handle()));

        assertThat(store.publishAll(files))
                .containsExactly(
                        PublishOutcome.PUBLISHED,
                        PublishOutcome.LOST,
                        PublishOutcome.LOST,
                        PublishOutcome.LOST,
                        PublishOutcome.PUBLISHED);
        assertThat(root.resolve("e")).hasBinaryContent(content(5));
    }

    @Test
    @DisplayName("folders and links among many are published, too")
    void foldersAmongThem() throws Exception {
        var folder = store.prepare(at("empty/", 0, "t1"));
        var link = store.prepare(new StageRequest(root + "/link", root.toString(), 0, new FileMeta(-1, -1, "a"), "t2"));
        try (var write = store.open(link)) {
            assertThat(store.publishAll(List.of(
                            staged("a", content(1), "t3"),
                            new StagedFile(folder, List.of(), 0, 0),
                            write.seal(),
                            staged("b", content(2), "t4"))))
                    .hasSize(4)
                    .containsOnly(PublishOutcome.PUBLISHED);
        }
        assertThat(root.resolve("empty")).isEmptyDirectory();
        assertThat(Files.readSymbolicLink(root.resolve("link"))).isEqualTo(Path.of("a"));
        assertThat(root.resolve("b")).hasBinaryContent(content(2));
    }

    @Test
    @DisplayName("one that cannot be published fails the call; by itself each other is")
    void oneFails() throws Exception {
        var files =
                List.of(staged("a", content(1), "t1"), staged("b", content(2), "t2"), staged("c", content(3), "t3"));
        Files.createDirectory(root.resolve("b"));
        assertThat(failure(() -> store.publishAll(files)).kind()).isEqualTo(Kind.PERMANENT);
        assertThat(store.publish(files.get(0), PosixFixture.NO_BYTES)).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(store.publish(files.get(2), PosixFixture.NO_BYTES)).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(root.resolve("c")).hasBinaryContent(content(3));
    }

    @Test
    @DisplayName("a way through a symbolic link below the root is refused, not followed")
    void linksAreNotFollowed() throws Exception {
        var file = staged("d/f", content(1), "t1");
        Files.move(root.resolve("d"), root.resolve("elsewhere"));
        Files.createSymbolicLink(root.resolve("d"), root.resolve("elsewhere"));
        assertThat(failure(() -> store.publishAll(List.of(file))).kind()).isEqualTo(Kind.BAD_NAME);
        assertThat(root.resolve("elsewhere/f")).doesNotExist();
    }
}
