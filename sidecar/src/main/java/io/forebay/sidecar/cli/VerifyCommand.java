package io.forebay.sidecar.cli;

import io.forebay.api.value.Bytes;
import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.coordinator.JobRecords;
import io.forebay.sidecar.local.JobStores;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.StagedFile.Kind;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay verify}: reads every published output again and compares it with its completion record (D6). */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description =
                "Reads every published output again and compares it with its completion record. Exits 74 and names what differs.")
final class VerifyCommand implements Callable<Integer> {
    private static final int AT_ONCE = 8;
    private static final int PIECE = 1 << 20;
    private static final int DIFFERS = 74;
    private static final String FOLDER = "a folder";

    @Parameters(index = "0", paramLabel = "JOB", description = Manifests.DESCRIPTION)
    private String manifest = "";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final AtomicLong files = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final ConcurrentLinkedQueue<ByteBuffer> scratches = new ConcurrentLinkedQueue<>();

    @Override
    public Integer call() throws CliException, IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var job = Manifests.read(manifest, spec.commandLine().getErr());
        NoRecords.require(job);
        long records;
        try (var scratch = new Scratch();
                var stores = new JobStores(job.stores());
                var tasks = Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("verify-", 0).factory())) {
            var window = new Semaphore(AT_ONCE);
            records = JobRecords.of(job.records(), job.name(), stores.stores(), scratch.folder())
                    .recorded(recorded -> {
                        for (var output : recorded.outputs()) {
                            window.acquire();
                            tasks.execute(() -> {
                                try {
                                    var problem = problem(stores, output);
                                    if (problem != null) {
                                        wrong.incrementAndGet();
                                        out.println("differs: " + output.finalUri() + " (item " + recorded.key() + "): "
                                                + problem);
                                    }
                                } finally {
                                    window.release();
                                }
                            });
                        }
                    });
        } catch (StoreException e) {
            throw new CliException(75, "cannot read the records of " + job.name() + ": " + e.getMessage());
        } catch (RecordsDamagedException e) {
            throw new CliException(75, String.valueOf(e.getMessage()));
        }
        out.println("%s: %d outputs of %d records verified, %s; %d differ"
                .formatted(
                        job.name(), files.get(), records, Bytes.of(bytes.get()).human(), wrong.get()));
        out.flush();
        return wrong.get() > 0 ? DIFFERS : 0;
    }

    /** @return what is wrong; null: nothing */
    private @Nullable String problem(JobStores stores, StagedOutput output) {
        files.incrementAndGet();
        var uri = StoreUri.parse(output.finalUri());
        try {
            var store = stores.stores().at(uri);
            var recorded = recorded(output);
            var found = stores.engine().retrying("verify " + uri, () -> found(store, uri, output.kind()));
            bytes.addAndGet(output.size());
            return found.equals(recorded) ? null : "it is " + found + ", its record says " + recorded;
        } catch (StoreException e) {
            return String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static String recorded(StagedOutput output) {
        return switch (Kind.valueOf(output.kind())) {
            case LINK -> link(output.link());
            case FOLDER -> FOLDER;
            case TEMP, UPLOAD, INLINE -> file(output.size(), output.crc32c());
        };
    }

    private static String link(@Nullable String target) {
        return "a symbolic link to " + target;
    }

    private static String file(long size, String crc32c) {
        return "a file of " + size + " bytes, CRC32C " + crc32c;
    }

    /** What is there, in the words of {@link #recorded}. */
    private String found(Store store, StoreUri uri, String kind) throws StoreException, InterruptedException {
        return switch (Kind.valueOf(kind)) {
            case LINK -> {
                var entry = store.lstat(uri.path());
                yield entry.kind() == Entry.Kind.SYMLINK
                        ? link(entry.meta().linkTarget())
                        : entry.kind() == Entry.Kind.FOLDER ? FOLDER : "a file";
            }
            case FOLDER -> {
                // Of a bucket it is an object whose key ends so.
                var key = uri.path().endsWith("/") || uri.scheme().isPosix() ? uri.path() : uri.path() + "/";
                yield store.stat(key).kind() == Entry.Kind.FOLDER ? FOLDER : "a file";
            }
            case TEMP, UPLOAD, INLINE -> content(store, uri);
        };
    }

    private String content(Store store, StoreUri uri) throws StoreException, InterruptedException {
        var entry = store.stat(uri.path());
        if (entry.kind() == Entry.Kind.FOLDER) {
            return FOLDER;
        }
        var version = entry.version();
        var crc = new CRC32C();
        var scratch = scratch();
        try {
            store.read(version, 0, version.size(), scratch, (offset, piece) -> crc.update(piece));
        } finally {
            scratches.add(scratch.clear());
        }
        return file(version.size(), "%08x".formatted(crc.getValue()));
    }

    private ByteBuffer scratch() {
        var free = scratches.poll();
        return free == null ? ByteBuffer.allocateDirect(PIECE) : free;
    }
}
