package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.StepRun;
import io.forebay.sidecar.records.AttemptLog;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.records.StoreRetry;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import io.forebay.sidecar.worker.FailedLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Writes the logs of failed attempts to the records, over what the coordinator knew to write: only where that file is, so that its bound
 * on their number holds, and nothing is made where the records are not mounted. Thread-safe.
 */
final class WholeLogs implements FailedLogs {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Of all steps of an attempt; of earlier ones the tail must do then. */
    private static final long MOST = 2L << 20;

    private final Job job;
    private final Stores stores;
    private final Consumer<String> tell;
    /** One at a time: they are whole in memory. */
    private final Semaphore one = new Semaphore(1);

    private final AtomicBoolean told = new AtomicBoolean();

    WholeLogs(Job job, Stores stores, Consumer<String> tell) {
        this.job = job;
        this.stores = stores;
        this.tell = tell;
    }

    @Override
    public void keep(String key, ItemEnded ended, Map<StepRun, Path> logs) throws InterruptedException {
        one.acquire();
        try {
            var uri = RecordsFolder.uriOf(job.records(), job.name());
            var folder = new RecordsFolder(stores.at(uri), uri, StoreRetry.patient(PATIENCE));
            var name = AttemptLog.name(ended);
            if (folder.exists(name)) {
                var printed = read(ended, logs);
                folder.put(
                        name,
                        AttemptLog.content(key, ended, run -> printed.getOrDefault(run.step(), AttemptLog.tail(run))));
            }
        } catch (StoreException | IOException e) {
            if (!told.getAndSet(true)) {
                tell.accept("of what item " + key + " printed only the last lines are in the records' logs: "
                        + e.getMessage() + " (told once)");
            }
        } finally {
            one.release();
        }
    }

    /** By step; the last steps first, for they are nearest to the failure. */
    private static Map<String, byte[]> read(ItemEnded ended, Map<StepRun, Path> logs) throws IOException {
        var printed = new HashMap<String, byte[]>();
        long left = MOST;
        for (var run : ended.steps().reversed()) {
            var file = logs.get(run);
            if (file == null || Files.size(file) > left) {
                continue;
            }
            var bytes = Files.readAllBytes(file);
            printed.put(run.step(), bytes);
            left -= bytes.length;
        }
        return printed;
    }
}
