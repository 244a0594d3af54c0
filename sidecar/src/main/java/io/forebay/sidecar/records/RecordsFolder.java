package io.forebay.sidecar.records;

import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The folder {@code <records>/<job>/}: small objects by name. Every call is retried while it fails in passing.
 *
 * <pre>
 * job.json                   who runs the job now, for people
 * generation-000001          claim of the first coordinator; created exclusively, never removed
 * alive-000001               its heartbeat
 * seal-000002                how far the second coordinator read the logs before its own
 * log-000001.jsonl           decisions of the first coordinator (POSIX); log-000001/00000001 and so on, and
 *                            log-000001/merged-000001 and so on, where nothing can be appended (S3)
 * plan-000001-0000.jsonl.gz  the plan that it made
 * UNEXPORTED.jsonl           outputs that are not at their destination
 * logs/                      output of failed attempts
 * </pre>
 *
 * @param uri the job's own folder
 * @param objects how logs are kept where nothing can be appended
 */
public record RecordsFolder(Store store, StoreUri uri, StoreRetry retry, LogObjects objects) {
    /** More than claims, seals and heartbeats have; others are measured first. */
    private static final int SMALL = 64 << 10;
    /** Larger ones are measured before they are read; nearly all objects of a log have less. */
    private static final int LARGE = 8 << 20;
    /** Holds the output of failed attempts. */
    public static final String LOGS = "logs/";

    public RecordsFolder(Store store, StoreUri uri, StoreRetry retry) {
        this(store, uri, retry, LogObjects.DEFAULT);
    }

    /** The folder of a job below its {@code records}. */
    public static StoreUri uriOf(StoreUri records, String jobName) {
        return records.resolve(jobName + "/");
    }

    public String key(String name) {
        return uri.resolve(name).path();
    }

    /** A small object: claim, seal, heartbeat. */
    public byte[] get(String name) throws StoreException, InterruptedException {
        return retry.call(() -> store.get(key(name), SMALL));
    }

    /** An object of any size below 2 GiB, whole. */
    public byte[] getLarge(String name) throws StoreException, InterruptedException {
        return retry.call(() -> {
            try {
                return store.get(key(name), LARGE);
            } catch (StoreException e) {
                if (e.kind() != Kind.TOO_LARGE) {
                    throw e;
                }
                return store.get(
                        key(name),
                        Math.toIntExact(store.stat(key(name)).version().size()));
            }
        });
    }

    public Optional<byte[]> find(String name) throws StoreException, InterruptedException {
        return unlessAbsent(() -> get(name));
    }

    public Optional<byte[]> findLarge(String name) throws StoreException, InterruptedException {
        return unlessAbsent(() -> getLarge(name));
    }

    private static Optional<byte[]> unlessAbsent(StoreRetry.Call<byte[]> call)
            throws StoreException, InterruptedException {
        try {
            return Optional.of(call.call());
        } catch (StoreException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public void put(String name, byte[] content) throws StoreException, InterruptedException {
        retry.run(() -> store.put(key(name), content));
    }

    public boolean exists(String name) throws StoreException, InterruptedException {
        try {
            retry.call(() -> store.stat(key(name)));
            return true;
        } catch (StoreException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    public void delete(String name) throws StoreException, InterruptedException {
        retry.run(() -> store.delete(key(name)));
    }

    /** The folder as a path of this machine, if it is on a file system and its name can be written in the process' locale. */
    public Optional<Path> path() {
        if (!uri.scheme().isPosix()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Path.of(uri.path()));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /**
     * Removes temporary names that killed coordinators left in it. Only for whoever has claimed it: a predecessor that wakes up finds
     * its rename failing, which is what it should.
     */
    void removeLeftovers() throws StoreException {
        var path = path();
        if (path.isEmpty()) {
            return;
        }
        try {
            removeLeftovers(path.get());
            var logs = path.get().resolve(LOGS);
            if (Files.isDirectory(logs)) {
                removeLeftovers(logs);
            }
        } catch (IOException e) {
            throw new StoreException(Kind.TRANSIENT, "records folder " + uri + " cannot be tidied: " + e, e);
        }
    }

    private static void removeLeftovers(Path folder) throws IOException {
        try (var names = Files.newDirectoryStream(folder, ".fb-*")) {
            for (var name : names) {
                Files.deleteIfExists(name);
            }
        }
    }

    /** As people say it. */
    private static String why(IOException e) {
        return switch (e) {
            case java.nio.file.FileAlreadyExistsException x -> x.getFile() + " is a file";
            case java.nio.file.AccessDeniedException x -> x.getFile() + ": permission denied";
            case java.nio.file.FileSystemException x
            when x.getReason() != null -> x.getFile() + ": " + x.getReason().toLowerCase(java.util.Locale.ROOT);
            case java.nio.file.FileSystemException x -> x.getFile() + " is not a folder";
            case IOException x -> String.valueOf(x.getMessage());
        };
    }

    /** Makes the folder where folders exist. @throws StoreException it cannot be made */
    public void create() throws StoreException {
        var path = path();
        if (path.isEmpty()) {
            return;
        }
        try {
            Files.createDirectories(path.get());
        } catch (IOException e) {
            throw new StoreException(
                    e instanceof java.nio.file.AccessDeniedException ? Kind.DENIED : Kind.PERMANENT,
                    "records folder " + uri + " cannot be made: " + why(e)
                            + ". Set spec.records to a folder that you may write",
                    e);
        }
    }
}
