package io.forebay.sidecar.local;

import io.forebay.api.job.Job.Output;
import io.forebay.api.job.Job.Publish;
import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.api.job.Job.Verify;
import io.forebay.api.job.Job.When;
import io.forebay.api.job.Template;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.commit.Publisher;
import io.forebay.sidecar.flush.Flusher;
import io.forebay.sidecar.flush.Flusher.ChangingException;
import io.forebay.sidecar.flush.OutputFile;
import io.forebay.sidecar.flush.OutputScan;
import io.forebay.sidecar.flush.OutputScan.NameConflictException;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Store.EntrySink;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import io.forebay.sidecar.worker.BufferFiles;
import io.forebay.sidecar.worker.InputNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code forebay stage-in} and {@code forebay flush}: the engine's transfers by themselves, for scripts that do their own
 * work in between. Each file is whole and verified, or it is named as failed; a failure does not stop the others.
 */
public final class Copies {
    private static final int FILES_AT_ONCE = 64;
    private static final int MOST_PROBLEMS = 1000;

    private final JobStores stores;
    private final AtomicLong files = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();

    public Copies(JobStores stores) {
        this.stores = stores;
    }

    /** @param problems one line per file that failed, the first thousand */
    public record Report(long files, long bytes, long failed, List<String> problems) {
        public Report {
            problems = List.copyOf(problems);
        }
    }

    /**
     * Brings everything below a folder or prefix, or one file, into a local folder.
     *
     * @throws StoreException the source cannot be listed
     */
    public Report stageIn(StoreUri source, String folder, List<Glob> include)
            throws StoreException, IOException, InterruptedException {
        BufferFiles.folders(folder);
        var store = stores.stores().at(source);
        int base = source.isFolder() ? source.path().length() : source.path().lastIndexOf('/') + 1;
        try (var tasks = tasks("stage-in-")) {
            var window = new Semaphore(FILES_AT_ONCE);
            var request = new ListRequest(source.path(), "", SymlinkPolicy.PRESERVE, true);
            stores.engine().retrying("list " + source, () -> {
                store.list(request, new EntrySink() {
                    @Override
                    public void found(Entry entry) throws InterruptedException {
                        var relative =
                                entry.key().substring(Math.min(base, entry.key().length()));
                        if (entry.kind() == Entry.Kind.FILE
                                && !include.isEmpty()
                                && include.stream().noneMatch(g -> g.matches(relative))) {
                            return;
                        }
                        submit(tasks, window, entry.key(), () -> bring(store, entry, folder, relative));
                    }

                    @Override
                    public void leftOut(String key, String why) {
                        problem(key + ": " + why);
                    }
                });
                return true;
            });
        }
        return report();
    }

    private void bring(Store store, Entry entry, String folder, String relative)
            throws StoreException, BufferIoException, IOException, InterruptedException {
        if (entry.kind() == Entry.Kind.FOLDER) {
            BufferFiles.folders(folder + "/" + InputNames.toPath(relative.replaceAll("/+$", "")));
            return;
        }
        var path = folder + "/" + InputNames.toPath(relative);
        BufferFiles.folders(path.substring(0, path.lastIndexOf('/')));
        if (entry.kind() == Entry.Kind.SYMLINK) {
            BufferFiles.link(String.valueOf(entry.meta().linkTarget()), path);
        } else {
            bytes.addAndGet(stores.engine()
                    .fetch(store, entry.version(), entry.meta(), path)
                    .size());
        }
        files.incrementAndGet();
    }

    /**
     * Makes every file below a local folder durable below a destination, under its own relative name.
     *
     * @param include patterns of relative paths; empty: all
     */
    public Report flush(String folder, StoreUri to, List<Glob> include)
            throws StoreException, IOException, InterruptedException {
        var patterns = include.isEmpty() ? List.of(new Glob("**")) : include;
        var found = new ArrayList<OutputFile>();
        for (var pattern : patterns) {
            var rule = new Output(
                    "flush",
                    new Template(pattern.pattern().replace("$", "$$")),
                    new Template(to.resolve("").toString().replace("$", "$$")),
                    Publish.ON_ITEM,
                    When.ALWAYS,
                    false,
                    Verify.STORE);
            try {
                found.addAll(
                        OutputScan.of(folder, List.of(rule), true, Map.of()).files());
            } catch (NameConflictException e) {
                throw new IllegalStateException("one rule gives each file a name of its own", e);
            }
        }
        var flusher = new Flusher(
                stores.stores(),
                stores.engine(),
                Long.toHexString(ProcessHandle.current().pid()) + "f");
        var publisher = new Publisher(stores.stores(), stores.engine());
        var staged = new ConcurrentLinkedQueue<StagedOutput>();
        try (var tasks = tasks("flush-")) {
            var window = new Semaphore(FILES_AT_ONCE);
            long index = 0;
            for (var file : found) {
                long item = index++;
                submit(tasks, window, file.path(), () -> {
                    var prepared = flusher.prepare(file, item, 0, 1);
                    try {
                        staged.add(flusher.stage(file, prepared));
                    } catch (StoreException | BufferIoException | ChangingException e) {
                        publisher.discard(List.of(prepared));
                        throw e;
                    }
                });
            }
        }
        publish(publisher, folder, new ArrayList<>(staged));
        return report();
    }

    private void publish(Publisher publisher, String folder, List<StagedOutput> staged) throws InterruptedException {
        for (int from = 0; from < staged.size(); from += FILES_AT_ONCE * 16) {
            var batch = staged.subList(from, Math.min(staged.size(), from + FILES_AT_ONCE * 16));
            try {
                count(publisher.publish(batch, output -> folder + "/" + output.relative()), batch);
            } catch (StoreException e) {
                // Which one it was, and what of the others: publishing again changes nothing for those that are there.
                oneByOne(publisher, folder, batch);
            }
        }
    }

    private void oneByOne(Publisher publisher, String folder, List<StagedOutput> batch) throws InterruptedException {
        for (var output : batch) {
            try {
                count(publisher.publish(List.of(output), o -> folder + "/" + o.relative()), List.of(output));
            } catch (StoreException e) {
                problem(output.finalUri() + ": " + e.getMessage());
                publisher.discard(List.of(output));
            }
        }
    }

    private void count(List<StagedOutput> lost, List<StagedOutput> batch) {
        lost.forEach(output -> problem(output.finalUri() + ": its staged bytes are gone"));
        files.addAndGet(batch.size() - lost.size());
        batch.stream().filter(output -> !lost.contains(output)).forEach(output -> bytes.addAndGet(output.size()));
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private void submit(ExecutorService tasks, Semaphore window, String what, Work work) throws InterruptedException {
        window.acquire();
        tasks.execute(() -> {
            try {
                work.run();
            } catch (Exception e) {
                problem(what + ": " + e.getMessage());
            } finally {
                window.release();
            }
        });
    }

    private static ExecutorService tasks(String name) {
        return Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name(name, 0).factory());
    }

    private void problem(String text) {
        if (failed.incrementAndGet() <= MOST_PROBLEMS) {
            problems.add(text);
        }
    }

    private Report report() {
        return new Report(files.get(), bytes.get(), failed.get(), List.copyOf(problems));
    }
}
