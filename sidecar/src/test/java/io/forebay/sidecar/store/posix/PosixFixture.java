package io.forebay.sidecar.store.posix;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Version;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What the tests of the POSIX store do again and again. */
final class PosixFixture {
    private PosixFixture() {}

    static final Store.InlineSource NO_BYTES = new Store.InlineSource.Absent();

    /** A listing, remembered. */
    static final class Found implements Store.EntrySink {
        final TreeMap<String, Entry> entries = new TreeMap<>();
        final TreeMap<String, String> leftOut = new TreeMap<>();

        @Override
        public void found(Entry entry) {
            assertThat(entries.put(entry.key(), entry))
                    .as("told twice: " + entry.key())
                    .isNull();
        }

        @Override
        public void leftOut(String key, String why) {
            leftOut.put(key, why);
        }
    }

    static Found list(Store store, String key, String prefix, SymlinkPolicy symlinks)
            throws StoreException, InterruptedException {
        var found = new Found();
        store.list(new ListRequest(key, prefix, symlinks, true), found);
        return found;
    }

    static Store.PieceSource source(byte[] bytes) {
        return (offset, dst) -> dst.put(bytes, (int) offset, dst.remaining());
    }

    static StageRequest request(String root, String key, long size, FileMeta meta) {
        return new StageRequest(key, root, size, meta, "t0ken-1");
    }

    static StagedFile stage(Store store, StageRequest request, Store.PieceSource source)
            throws StoreException, InterruptedException {
        try (var write = store.open(store.prepare(request))) {
            var scratch = ByteBuffer.allocateDirect(1 << 20);
            for (int part = 0; part < write.parts(); part++) {
                write.write(part, source, scratch);
            }
            return write.seal();
        }
    }

    static void publish(Store store, StagedFile file) throws StoreException, InterruptedException {
        assertThat(store.publish(file, NO_BYTES)).isEqualTo(Store.PublishOutcome.PUBLISHED);
        store.syncFolders(List.of(file.stub().finalKey()));
    }

    static byte[] read(Store store, Version version, int scratch) throws StoreException, InterruptedException {
        var out = new ByteArrayOutputStream();
        store.read(version, 0, version.size(), ByteBuffer.allocateDirect(scratch), (offset, piece) -> {
            assertThat(offset).isEqualTo(out.size());
            assertThat(piece.remaining()).isBetween(1, scratch);
            var bytes = new byte[piece.remaining()];
            piece.get(bytes);
            out.write(bytes);
        });
        return out.toByteArray();
    }

    static StoreException failure(ThrowingCallable call) {
        try {
            call.call();
        } catch (StoreException e) {
            return e;
        } catch (Throwable t) {
            throw new AssertionError("not a StoreException", t);
        }
        throw new AssertionError("it went well");
    }

    static List<String> temporaryNames(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return new ArrayList<>(all.map(p -> p.getFileName().toString())
                    .filter(n -> n.startsWith(".fb-"))
                    .toList());
        }
    }

    /** Descriptors of this process that lie below a folder; the folder itself a store may keep. */
    static List<String> openBelow(Path root) throws IOException {
        var open = new ArrayList<String>();
        try (var fds = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var fd : fds) {
                try {
                    var target = Files.readSymbolicLink(fd).toString();
                    if (target.startsWith(root + "/")) {
                        open.add(target);
                    }
                } catch (IOException e) {
                    // closed meanwhile
                }
            }
        }
        return open;
    }

    /** Until the condition holds; a minute is a failure. */
    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + 60_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("gave up waiting until " + what).isLessThan(end);
            java.util.concurrent.TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
