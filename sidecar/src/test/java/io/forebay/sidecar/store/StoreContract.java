package io.forebay.sidecar.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.sidecar.store.Store.InlineSource;
import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every store promises. A store's own test extends this, gives the store and a fresh folder, and says where the store
 * differs. Nothing staged may be left by a test: {@link #leftovers} is looked at after those that stage.
 */
public abstract class StoreContract {
    private static final AtomicInteger TOKENS = new AtomicInteger();

    /** Permissions and time that every destination keeps. */
    private static final FileMeta META = new FileMeta(0640, 1_600_000_000_123_456_789L, null);

    /** The store under test; the same one during a test. */
    protected abstract Store store();

    /** A folder that exists nowhere yet or is empty, its own for each test; ends in a slash. */
    protected abstract String folder();

    /** What is staged below {@link #folder} at the store and not visible: temporary names, open uploads. */
    protected abstract List<String> leftovers() throws Exception;

    /** A size that is staged invisibly (not INLINE) in more than one part, where the store cuts files at all; at most a few MiB. */
    protected abstract int largeSize();

    /** Whether {@link Store#createExclusively} is honoured by the server under test. */
    protected boolean exclusiveCreate() {
        return true;
    }

    /** Nanoseconds that modification times are kept to. */
    protected long mtimeResolutionNanos() {
        return 1;
    }

    /** Names, below a folder, that every store takes and gives back as they are. */
    static Stream<NameCase> names() {
        return Stream.of(
                        "plain",
                        "with space",
                        "tab\there",
                        "new\nline",
                        "quote'\"",
                        "-dash",
                        "$(x)",
                        "star*",
                        "caf\u00e9",
                        "cafe\u0301",
                        "plus+percent%20%2F",
                        "ampersand&hash#",
                        "colon:question?equals=",
                        "emoji-\ud83d\ude00",
                        "[brackets]{braces}",
                        "back\\slash",
                        "semi;comma,",
                        "deep/er/path",
                        "\u65e5\u672c",
                        ".hidden",
                        "a..b",
                        "...",
                        "tilde~",
                        "<xml>&amp;")
                .map(NameCase::new);
    }

    /** Whether the server under test takes this name; false: a fault of the server's own, to be named where it is overridden. */
    protected boolean takes(String name) {
        return true;
    }

    // ---- staging and publishing

    static Stream<Integer> smallSizes() {
        return Stream.of(0, 1, 4095, 70_000);
    }

    @ParameterizedTest(name = "P1 a staged file of {0} bytes is invisible, then whole")
    @MethodSource("smallSizes")
    void stagedFileIsInvisibleThenWhole(int size) throws Exception {
        stagedThenPublished(content(size, size), folder() + "sub/file.bin");
    }

    @Test
    @DisplayName("P1 a staged large file is invisible, then whole")
    void stagedLargeFileIsInvisibleThenWhole() throws Exception {
        stagedThenPublished(content(1, largeSize()), folder() + "sub/large.bin");
    }

    private void stagedThenPublished(byte[] bytes, String key) throws Exception {
        var staged = stage(key, bytes, META);
        assertThat(staged.size()).isEqualTo(bytes.length);
        assertThat(staged.crc32c()).isEqualTo(Crc32c.of(ByteBuffer.wrap(bytes)));
        assertAbsent(key);
        assertThat(listed(folder())).isEmpty();
        assertThat(store().publish(staged, present(bytes))).isEqualTo(PublishOutcome.PUBLISHED);
        store().syncFolders(List.of(key));
        assertThat(readWhole(key)).isEqualTo(bytes);
        assertThat(leftovers()).isEmpty();
    }

    @Test
    @DisplayName("parts may be written in any order, at once, and twice")
    void partsInAnyOrder() throws Exception {
        var bytes = content(2, largeSize());
        var key = folder() + "shuffled";
        var stub = store().prepare(request(key, bytes.length, META));
        StagedFile staged;
        try (var write = store().open(stub);
                var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            var order = new ArrayList<Integer>();
            for (int part = 0; part < write.parts(); part++) {
                order.add(part);
            }
            Collections.shuffle(order, new Random(42));
            order.add(order.getFirst());
            var sums = new ArrayList<Future<Long>>();
            for (int part : order) {
                sums.add(pool.submit(() -> write.write(part, source(bytes), ByteBuffer.allocateDirect(10_000))));
            }
            for (int i = 0; i < order.size(); i++) {
                int part = order.get(i);
                var piece = ByteBuffer.wrap(bytes, (int) write.offset(part), (int) write.length(part));
                assertThat(sums.get(i).get()).as("CRC32C of part %d", part).isEqualTo(Crc32c.of(piece));
            }
            staged = write.seal();
        }
        assertThat(staged.crc32c()).isEqualTo(Crc32c.of(ByteBuffer.wrap(bytes)));
        assertThat(store().publish(staged, present(bytes))).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(readWhole(key)).isEqualTo(bytes);
        assertThat(leftovers()).isEmpty();
    }

    @Test
    @DisplayName("parts cover the file without gap, an empty file has one")
    void partsCoverTheFile() throws Exception {
        for (int size : new int[] {0, 1, largeSize()}) {
            var stub = store().prepare(request(folder() + "cover-" + size, size, META));
            try (var write = store().open(stub)) {
                assertThat(write.parts()).isPositive();
                long end = 0;
                for (int part = 0; part < write.parts(); part++) {
                    assertThat(write.offset(part)).isEqualTo(end);
                    end += write.length(part);
                }
                assertThat(end).isEqualTo(size);
            }
            store().discard(stub);
        }
        assertThat(leftovers()).isEmpty();
    }

    @Test
    @DisplayName("a prepared file can be opened again, after a crash, and written anew")
    void openedAgain() throws Exception {
        var bytes = content(3, largeSize());
        var key = folder() + "again";
        var stub = store().prepare(request(key, bytes.length, META));
        try (var write = store().open(stub)) {
            write.write(0, source(content(99, largeSize())), scratch());
        }
        var staged = write(stub, bytes);
        assertThat(store().publish(staged, present(bytes))).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(readWhole(key)).isEqualTo(bytes);
    }

    @Test
    @DisplayName("publishing replaces what is there, and may be repeated")
    void publishReplacesAndRepeats() throws Exception {
        for (int size : new int[] {10_000, largeSize()}) {
            var key = folder() + "replaced-" + size;
            store().put(key, "older".getBytes(StandardCharsets.US_ASCII));
            var bytes = content(4, size);
            var staged = stage(key, bytes, META);
            assertThat(readWhole(key)).asString().isEqualTo("older");
            assertThat(store().publish(staged, present(bytes))).isEqualTo(PublishOutcome.PUBLISHED);
            assertThat(store().publish(staged, present(bytes))).isEqualTo(PublishOutcome.PUBLISHED);
            assertThat(store().publish(staged, new InlineSource.Absent()))
                    .as("published by another, bytes gone")
                    .isEqualTo(PublishOutcome.PUBLISHED);
            assertThat(readWhole(key)).isEqualTo(bytes);
        }
    }

    @Test
    @DisplayName("O4 what is gone and not at its final name is lost, never published")
    void goneIsLost() throws Exception {
        var key = folder() + "gone";
        var large = content(5, largeSize());
        var staged = stage(key, large, META);
        store().discard(staged.stub());
        store().discard(staged.stub());
        assertThat(store().publish(staged, new InlineSource.Absent())).isEqualTo(PublishOutcome.LOST);
        assertAbsent(key);
        store().put(key, content(6, large.length));
        assertThat(store().publish(staged, new InlineSource.Absent()))
                .as("same size, other bytes")
                .isEqualTo(PublishOutcome.LOST);
        assertThat(leftovers()).isEmpty();
    }

    @Test
    @DisplayName("P6 what is discarded leaves nothing, and touches nothing at the final name")
    void discardLeavesNothing() throws Exception {
        var key = folder() + "discarded";
        store().put(key, "older".getBytes(StandardCharsets.US_ASCII));
        for (int size : new int[] {0, 10, largeSize()}) {
            store().discard(stage(key, content(7, size), META).stub());
        }
        assertThat(readWhole(key)).asString().isEqualTo("older");
        assertThat(leftovers()).isEmpty();
    }

    @Test
    @DisplayName("a source that fails makes the write fail with its cause")
    void failingSource() throws Exception {
        var stub = store().prepare(request(folder() + "failing", largeSize(), META));
        try (var write = store().open(stub)) {
            PieceSource broken = (offset, dst) -> {
                throw new IOException("EIO of the buffer");
            };
            assertThatThrownBy(() -> write.write(0, broken, scratch()))
                    .isInstanceOf(StoreException.class)
                    .hasRootCauseMessage("EIO of the buffer");
        }
        store().discard(stub);
        assertThat(leftovers()).isEmpty();
    }

    // ---- metadata

    @Test
    @DisplayName("N6 mode and mtime are kept")
    void modeAndTimeAreKept() throws Exception {
        for (int size : new int[] {10, largeSize()}) {
            var key = folder() + "meta-" + size;
            var bytes = content(8, size);
            assertThat(store().publish(stage(key, bytes, META), present(bytes))).isEqualTo(PublishOutcome.PUBLISHED);
            var meta = store().stat(key).meta();
            assertThat(meta.mode()).isEqualTo(0640);
            assertThat(meta.mtimeNanos() / mtimeResolutionNanos())
                    .isEqualTo(META.mtimeNanos() / mtimeResolutionNanos());
        }
    }

    // ---- names

    @ParameterizedTest(name = "{0}")
    @MethodSource("names")
    @DisplayName("N1 N2 names are taken and given back as they are")
    void namesSurvive(NameCase name) throws Exception {
        assumeTrue(takes(name.text), "not taken by this server");
        var bytes = name.text.getBytes(StandardCharsets.UTF_16);
        var key = folder() + name.text;
        assertThat(store().publish(stage(key, bytes, META), present(bytes))).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(store().stat(key).version().size()).isEqualTo(bytes.length);
        assertThat(readWhole(key)).isEqualTo(bytes);
        assertThat(listed(folder())).containsOnlyKeys(key);
        store().delete(key);
        assertAbsent(key);
    }

    /** @param text a name that JUnit shows readably */
    public record NameCase(String text) {
        @Override
        public String toString() {
            return text.replace("\n", "\\n").replace("\t", "\\t");
        }
    }

    // ---- reading

    @Test
    @DisplayName("any range is read in pieces of the caller's buffer")
    void rangesAreRead() throws Exception {
        var bytes = content(9, 100_000);
        var key = folder() + "ranges";
        store().put(key, bytes);
        var version = store().stat(key).version();
        for (var range : new int[][] {
            {0, 100_000}, {0, 1}, {99_999, 1}, {1, 99_999}, {50_000, 4096}, {7, 0}, {100_000, 0}, {0, 0}
        }) {
            var out = new java.io.ByteArrayOutputStream();
            store().read(version, range[0], range[1], ByteBuffer.allocateDirect(3000), (offset, piece) -> {
                assertThat(offset).isEqualTo(range[0] + out.size());
                while (piece.hasRemaining()) {
                    out.write(piece.get());
                }
            });
            assertThat(out.toByteArray())
                    .as("bytes %d to %d", range[0], range[0] + range[1])
                    .isEqualTo(java.util.Arrays.copyOfRange(bytes, range[0], range[0] + range[1]));
        }
    }

    @Test
    @DisplayName("I4 a file overwritten with equal size is another version")
    void overwrittenIsChanged() throws Exception {
        var key = folder() + "changing";
        store().put(key, content(10, 5000));
        var version = store().stat(key).version();
        store().checkUnchanged(version);
        store().put(key, content(11, 5000));
        assertChanged(() -> store().checkUnchanged(version));
        assertChanged(() -> read(version, 0, 5000));
        assertChanged(() -> read(version, 100, 200));
        store().put(key, content(10, 4000));
        assertChanged(() -> read(version, 0, 5000));
        assertChanged(() -> read(version, 4500, 500));
    }

    @Test
    @DisplayName("I4 a file that is gone is no longer that version")
    void goneIsChanged() throws Exception {
        var key = folder() + "vanishing";
        store().put(key, content(12, 500));
        var version = store().stat(key).version();
        store().delete(key);
        assertChanged(() -> store().checkUnchanged(version));
        assertThatThrownBy(() -> read(version, 0, 500))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isIn(Kind.CHANGED, Kind.NOT_FOUND));
    }

    @Test
    @DisplayName("a version survives its text")
    void versionSurvivesItsText() throws Exception {
        var key = folder() + "pinned";
        store().put(key, content(13, 500));
        var version = store().stat(key).version();
        assertThat(Version.parse(key, version.pin())).isEqualTo(version);
        assertThat(listed(folder()).get(key).version().pin()).as("as listed").isEqualTo(version.pin());
        assertThat(read(Version.parse(key, version.pin()), 0, 500)).isEqualTo(content(13, 500));
    }

    @Test
    @DisplayName("a sink that fails makes the read fail with its cause")
    void failingSink() throws Exception {
        var key = folder() + "sink";
        store().put(key, content(14, 5000));
        var version = store().stat(key).version();
        assertThatThrownBy(() -> store().read(version, 0, 5000, scratch(), (offset, piece) -> {
                    throw new IOException("ENOSPC of the buffer");
                }))
                .isInstanceOf(StoreException.class)
                .hasRootCauseMessage("ENOSPC of the buffer");
        assertThat(read(version, 0, 5000)).isEqualTo(content(14, 5000));
    }

    // ---- listing

    @Test
    @DisplayName("a folder is listed with all below it, at component boundaries")
    void foldersAreListed() throws Exception {
        for (var name : List.of("a/1", "a/b/2", "a/b/c/3", "ab/4", "a.5", "b")) {
            store().put(folder() + name, content(15, name.length()));
        }
        assertThat(listed(folder() + "a/"))
                .containsOnlyKeys(folder() + "a/1", folder() + "a/b/2", folder() + "a/b/c/3");
        assertThat(listed(folder() + "a")).containsOnlyKeys(folder() + "a/1", folder() + "a/b/2", folder() + "a/b/c/3");
        assertThat(listed(folder() + "b")).containsOnlyKeys(folder() + "b");
        assertThat(listed(folder())).hasSize(6);
        assertThat(listed(folder()).get(folder() + "a/b/2").version().size()).isEqualTo(5);
    }

    @Test
    @DisplayName("G1 only what begins with the fixed prefix is told")
    void fixedPrefix() throws Exception {
        for (var name : List.of("sub-1/x", "sub-2/x", "tmp/x", "sub")) {
            store().put(folder() + name, content(16, 3));
        }
        var found = new TreeMap<String, Entry>();
        store().list(new ListRequest(folder(), "sub-", SymlinkPolicy.FOLLOW, false), sink(found));
        assertThat(found).containsOnlyKeys(folder() + "sub-1/x", folder() + "sub-2/x");
    }

    @Test
    @DisplayName("thousands of files are all told, each once")
    void manyFiles() throws Exception {
        int n = 1100;
        try (var pool = Executors.newFixedThreadPool(8)) {
            var puts = new ArrayList<Future<?>>();
            for (int i = 0; i < n; i++) {
                int number = i;
                puts.add(pool.submit(() -> {
                    store().put(folder() + "many/" + number, new byte[] {1});
                    return null;
                }));
            }
            for (var put : puts) {
                put.get();
            }
        }
        var keys = new ArrayList<String>();
        store().list(new ListRequest(folder(), "", SymlinkPolicy.FOLLOW, false), new Store.EntrySink() {
            @Override
            public void found(Entry entry) {
                keys.add(entry.key());
            }

            @Override
            public void leftOut(String key, String why) {
                throw new AssertionError(key + " left out: " + why);
            }
        });
        assertThat(keys).hasSize(n).doesNotHaveDuplicates();
    }

    // ---- small objects

    @Test
    @DisplayName("small objects are written, replaced, read, limited, deleted")
    void smallObjects() throws Exception {
        var key = folder() + "records/plan.json";
        assertThatThrownBy(() -> store().get(key, 100))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
        store().put(key, new byte[0]);
        assertThat(store().get(key, 100)).isEmpty();
        store().put(key, content(17, 100_000));
        assertThat(store().get(key, 100_000)).isEqualTo(content(17, 100_000));
        assertThatThrownBy(() -> store().get(key, 99_999))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TOO_LARGE));
        store().delete(key);
        store().delete(key);
        assertAbsent(key);
    }

    @Test
    @DisplayName("of many that create the same object one succeeds, and its content stays")
    void exclusiveCreation() throws Exception {
        assumeTrue(exclusiveCreate(), "this server does not honour it");
        var key = folder() + "records/intent";
        var winners = new ArrayList<Integer>();
        try (var pool = Executors.newFixedThreadPool(8)) {
            var tries = new ArrayList<Future<Boolean>>();
            for (int i = 0; i < 8; i++) {
                int number = i;
                tries.add(pool.submit(() ->
                        store().createExclusively(key, ("writer " + number).getBytes(StandardCharsets.US_ASCII))));
            }
            for (int i = 0; i < tries.size(); i++) {
                if (tries.get(i).get()) {
                    winners.add(i);
                }
            }
        }
        assertThat(winners).hasSize(1);
        assertThat(store().get(key, 100)).asString().isEqualTo("writer " + winners.getFirst());
        assertThat(store().createExclusively(key, new byte[1])).isFalse();
        assertThat(leftovers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"absent", "absent/deep"})
    @DisplayName("I2 what is not there is NOT_FOUND, and its name is said")
    void absentIsNotFound(String name) {
        assertThatThrownBy(() -> store().stat(folder() + name))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND))
                .hasMessageContaining(name);
    }

    // ---- helpers

    /** Bytes that differ by seed and are cheap to make. */
    protected static byte[] content(int seed, int size) {
        var bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    protected static ByteBuffer scratch() {
        return ByteBuffer.allocateDirect(64 * 1024);
    }

    protected static PieceSource source(byte[] bytes) {
        return (offset, dst) -> dst.put(bytes, (int) offset, dst.remaining());
    }

    protected static InlineSource present(byte[] bytes) {
        return new InlineSource.Present(source(bytes));
    }

    protected StageRequest request(String key, long size, FileMeta meta) {
        return new StageRequest(key, folder(), size, meta, "%x-%018x".formatted(0xabcd, TOKENS.incrementAndGet()));
    }

    protected StagedFile stage(String key, byte[] bytes, FileMeta meta) throws Exception {
        return write(store().prepare(request(key, bytes.length, meta)), bytes);
    }

    protected StagedFile write(StagedFile.Stub stub, byte[] bytes) throws Exception {
        try (var write = store().open(stub)) {
            var buffer = scratch();
            for (int part = 0; part < write.parts(); part++) {
                write.write(part, source(bytes), buffer);
            }
            return write.seal();
        }
    }

    protected byte[] readWhole(String key) throws Exception {
        var version = store().stat(key).version();
        return read(version, 0, version.size());
    }

    protected byte[] read(Version version, long offset, long length) throws Exception {
        var out = ByteBuffer.allocate((int) length);
        store().read(version, offset, length, scratch(), (at, piece) -> out.put(piece));
        return out.array();
    }

    protected Map<String, Entry> listed(String key) throws Exception {
        var found = new TreeMap<String, Entry>();
        store().list(new ListRequest(key, "", SymlinkPolicy.PRESERVE, false), sink(found));
        return found;
    }

    private static Store.EntrySink sink(Map<String, Entry> found) {
        return new Store.EntrySink() {
            @Override
            public void found(Entry entry) {
                assertThat(found.put(entry.key(), entry))
                        .as("told twice: " + entry.key())
                        .isNull();
            }

            @Override
            public void leftOut(String key, String why) {
                throw new AssertionError(key + " left out: " + why);
            }

            @Override
            public void noFile(String key, String what) {
                // What is staged is told, and no entry.
                assertThat(what).as(key).isEqualTo(OwnNames.TEMPORARY_FILE);
            }
        };
    }

    protected void assertAbsent(String key) {
        assertThatThrownBy(() -> store().stat(key))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }

    private interface Call {
        void run() throws Exception;
    }

    private static void assertChanged(Call call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CHANGED));
    }
}
