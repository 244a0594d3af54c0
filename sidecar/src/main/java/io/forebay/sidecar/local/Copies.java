package io.forebay.sidecar.local;

import io.forebay.api.job.Job.Output;
import io.forebay.api.job.Job.Publish;
import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.api.job.Job.Verify;
import io.forebay.api.job.Job.When;
import io.forebay.api.job.Template;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.commit.Publisher;
import io.forebay.sidecar.flush.Flusher;
import io.forebay.sidecar.flush.Flusher.ChangingException;
import io.forebay.sidecar.flush.Modes;
import io.forebay.sidecar.flush.OutputFile;
import io.forebay.sidecar.flush.OutputWalk;
import io.forebay.sidecar.flush.SpecialFiles;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.OwnNames;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Store.EntrySink;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import io.forebay.sidecar.worker.BufferFiles;
import io.forebay.sidecar.worker.InputNames;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * {@code forebay stage-in} and {@code forebay flush}: the engine's transfers by themselves, for scripts that do their own
 * work in between. Each file is whole and verified, or it is named as failed; a failure does not stop the others. An interruption ends
 * all, and what was begun is removed. Used once.
 */
public final class Copies {
    /** So many outputs are published together. */
    private static final int BATCH = 1024;
    /** For removing what an interrupted flush left; what is not removed then is told. */
    private static final Duration REMOVAL = Duration.ofSeconds(15);

    private final JobStores stores;
    private final Consumer<String> tell;
    private final CopyTasks tasks = new CopyTasks();
    /** Tells temporary names of this process from others'. */
    private final String token = Long.toHexString(ProcessHandle.current().pid());

    private final AtomicLong temporaries = new AtomicLong();
    /** Listings are sorted: the next file mostly lies beside the last one. */
    private volatile String madeFolder = "";

    /** @param tell hears what the user should know */
    public Copies(JobStores stores, Consumer<String> tell) {
        this.stores = stores;
        this.tell = tell;
    }

    /**
     * @param passedOver found, but not selected by the patterns
     * @param full some failed since the local folder has no room for them
     * @param problems one line per file that failed, the first thousand
     */
    public record Report(long files, long bytes, long failed, long passedOver, boolean full, List<String> problems) {
        public Report {
            problems = List.copyOf(problems);
        }
    }

    /** How things stand; of use after an interruption. Thread-safe. */
    public Report report() {
        return tasks.report();
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
        var special = new SpecialFiles();
        int base = source.isFolder() ? source.path().length() : source.path().lastIndexOf('/') + 1;
        try (tasks) {
            var request = new ListRequest(source.path(), "", SymlinkPolicy.PRESERVE, true);
            stores.engine().retrying("list " + source, () -> {
                store.list(request, new EntrySink() {
                    @Override
                    public void found(Entry entry) throws InterruptedException {
                        var relative = relative(entry.key(), base);
                        if (!selects(include, relative)) {
                            tasks.passOver();
                            return;
                        }
                        tasks.begin(entry.key(), () -> bring(store, entry, folder, relative));
                    }

                    @Override
                    public void leftOut(String key, String why) {
                        if (selects(include, relative(key, base))) {
                            tasks.problem(key + ": " + why);
                        }
                    }

                    @Override
                    public void noFile(String key, String what) {
                        if (selects(include, relative(key, base))) {
                            special.add(relative(key, base), what);
                        }
                    }
                });
                return true;
            });
            tasks.join();
        }
        special.words("staged").ifPresent(words -> tell.accept("left out: " + words));
        return report();
    }

    private static String relative(String key, int base) {
        return key.substring(Math.min(base, key.length()));
    }

    /** Of a folder its name decides, as of a file; empty: all. */
    private static boolean selects(List<Glob> include, String relative) {
        var name = relative.endsWith("/") ? relative.substring(0, relative.length() - 1) : relative;
        return include.isEmpty() || include.stream().anyMatch(g -> g.matches(name));
    }

    private void bring(Store store, Entry entry, String folder, String relative)
            throws StoreException, BufferIoException, IOException, InterruptedException {
        if (entry.kind() == Entry.Kind.FOLDER) {
            BufferFiles.emptyFolder(folder + "/" + InputNames.toPath(relative.replaceAll("/+$", "")), entry.meta());
            return;
        }
        var path = folder + "/" + InputNames.toPath(relative);
        var parent = path.substring(0, path.lastIndexOf('/'));
        if (!parent.equals(madeFolder)) {
            BufferFiles.folders(parent);
            madeFolder = parent;
        }
        if (entry.kind() == Entry.Kind.SYMLINK) {
            BufferFiles.link(String.valueOf(entry.meta().linkTarget()), path);
            tasks.done(0);
            return;
        }
        // What has the name stays until it can be replaced by a whole file.
        var hidden = parent + "/" + OwnNames.TEMPORARY + "in-" + token + "-" + temporaries.incrementAndGet();
        try {
            var fetched = stores.engine().fetch(store, entry.version(), entry.meta(), hidden);
            var told = fetched.receipt().meta();
            if (told != null && told.linkTarget() != null && fetched.size() == 0) {
                // A listing of objects does not tell which of them stand for a link.
                BufferFiles.link(told.linkTarget(), hidden);
            }
            Posix.rename(hidden, path);
            tasks.done(fetched.size());
        } catch (BufferIoException e) {
            if (!e.noSpace()) {
                throw e;
            }
            Posix.unlinkatIfThere(null, hidden); // first: what is free is told without it
            tasks.noRoom(entry.key() + ": no space is left in " + parent + ". Needed: "
                    + size(entry.version().size()) + free(parent)
                    + ". Free space there, or stage into another folder.");
        } finally {
            Posix.unlinkatIfThere(null, hidden);
        }
    }

    private static String size(long bytes) {
        return bytes + " bytes (" + Bytes.of(bytes).human() + ")";
    }

    private static String free(String folder) {
        try {
            return "; free: " + size(Posix.statfs(folder).freeBytes());
        } catch (PosixException e) {
            return "; how much is free cannot be told: " + e.reason();
        }
    }

    /**
     * Makes every file below a local folder durable below a destination, under its own relative name; some are published while
     * others are still staged. What lies below the destination, if that is within the folder, is left alone.
     *
     * @param folder absolute, without a slash at its end
     * @param include patterns of relative paths; empty: all
     * @param verify how it is made sure that the destination has the right bytes
     */
    public Report flush(String folder, StoreUri to, List<Glob> include, Verify verify)
            throws StoreException, IOException, InterruptedException {
        var flusher = new Flusher(stores.stores(), stores.engine(), token + "f", "", tell);
        var publisher = new Publisher(stores.stores(), stores.engine());
        var special = new SpecialFiles();
        var staged = new LinkedBlockingQueue<StagedOutput>();
        // By final name: what may lie staged at the destination.
        var begun = new ConcurrentHashMap<String, StagedOutput>();
        // A destination within the folder is none of its files: the walk would meet what it has just published.
        var destination = to.scheme().isPosix()
                        && to.path().startsWith(folder + "/")
                        && to.path().length() > folder.length() + 1
                ? to.path()
                : "\0";
        try (tasks) {
            var sink = new OutputWalk.Sink<InterruptedException>() {
                private long item;

                @Override
                public void found(OutputFile file) throws InterruptedException {
                    if (file.path().startsWith(destination)) {
                        return;
                    }
                    if (!selects(include, file.relative())) {
                        tasks.passOver();
                        return;
                    }
                    begin(flusher, publisher, file, item++, staged, begun);
                    if (staged.size() >= BATCH) {
                        // Here, so that no more are staged meanwhile than are under way: a million files need no heap.
                        publish(publisher, folder, drained(staged), begun);
                    }
                }

                @Override
                public void skipped(String relative, Stat.Type type) {
                    if (selects(include, relative)) {
                        special.add(relative, type);
                    }
                }
            };
            walk(folder, to, verify, sink);
            tasks.join();
            publish(publisher, folder, drained(staged), begun);
        } catch (InterruptedException e) {
            remove(publisher, begun.values());
            throw e;
        }
        special.words().ifPresent(words -> tell.accept("left out: " + words));
        remove(publisher, begun.values());
        return report();
    }

    /** What cannot be read is told; what was found before it goes on. */
    private void walk(String folder, StoreUri to, Verify verify, OutputWalk.Sink<InterruptedException> sink)
            throws IOException, InterruptedException {
        try {
            new OutputWalk<>(folder, List.of(everything(to, verify)), Modes.AS_THEY_ARE, sink).walk();
        } catch (PosixException e) {
            if (!e.is(Errno.EACCES)) {
                throw e;
            }
            tasks.problem(e.path() + ": may not be read (permission denied), so not all files below " + folder
                    + " were found; let the user who runs this read it, and flush again");
        }
    }

    private void begin(
            Flusher flusher,
            Publisher publisher,
            OutputFile file,
            long item,
            Queue<StagedOutput> staged,
            Map<String, StagedOutput> begun)
            throws InterruptedException {
        tasks.begin(file.path(), () -> {
            var prepared = flusher.prepare(file, item, 0, 1, false);
            if (!prepared.handle().isEmpty()) {
                begun.put(prepared.finalUri(), prepared);
            }
            try {
                staged.add(flusher.stage(file, prepared));
            } catch (StoreException | BufferIoException | ChangingException e) {
                // Now, since it may be the room that others lack.
                publisher.discard(List.of(prepared));
                begun.remove(prepared.finalUri());
                throw e;
            }
        });
    }

    private static List<StagedOutput> drained(Queue<StagedOutput> staged) {
        var all = new ArrayList<StagedOutput>();
        for (var one = staged.poll(); one != null; one = staged.poll()) {
            all.add(one);
        }
        return all;
    }

    private static OutputWalk.Rule everything(StoreUri to, Verify verify) {
        var rule = new Output(
                "flush",
                new Template("**"),
                new Template(to.resolve("").toString().replace("$", "$$")),
                Publish.ON_ITEM,
                When.ALWAYS,
                false,
                verify);
        return OutputWalk.Rule.of(rule, Map.of());
    }

    private void publish(Publisher publisher, String folder, List<StagedOutput> staged, Map<String, StagedOutput> begun)
            throws InterruptedException {
        for (int from = 0; from < staged.size(); from += BATCH) {
            var batch = staged.subList(from, Math.min(staged.size(), from + BATCH));
            try {
                count(publisher.publish(batch, output -> folder + "/" + output.relative()), batch, begun);
            } catch (StoreException e) {
                // Which one it was, and what of the others: publishing again changes nothing for those that are there.
                oneByOne(publisher, folder, batch, begun);
            }
        }
    }

    private void oneByOne(Publisher publisher, String folder, List<StagedOutput> batch, Map<String, StagedOutput> begun)
            throws InterruptedException {
        for (var output : batch) {
            try {
                count(publisher.publish(List.of(output), o -> folder + "/" + o.relative()), List.of(output), begun);
            } catch (StoreException e) {
                tasks.problem(output.finalUri() + ": " + e.getMessage());
            }
        }
    }

    private void count(List<StagedOutput> lost, List<StagedOutput> batch, Map<String, StagedOutput> begun) {
        lost.forEach(output -> tasks.problem(output.finalUri() + ": its staged bytes are gone"));
        for (var output : batch) {
            begun.remove(output.finalUri());
            if (!lost.contains(output)) {
                tasks.done(output.size());
            }
        }
    }

    /** What was staged and is not published; in a bounded time, whatever the destination does. */
    private void remove(Publisher publisher, Collection<StagedOutput> begun) throws InterruptedException {
        var outputs = new ArrayList<>(begun);
        int parts = Math.min(CopyTasks.FILES_AT_ONCE, outputs.size());
        var left = new CountDownLatch(parts);
        for (int i = 0; i < parts; i++) {
            var part = outputs.subList(i * outputs.size() / parts, (i + 1) * outputs.size() / parts);
            Thread.ofVirtual().name("remove").start(() -> {
                try {
                    publisher.discard(part).forEach(why -> tasks.problem("not removed: " + why));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (IllegalStateException e) {
                    return; // the command has ended meanwhile, and told what it did not wait for
                } finally {
                    left.countDown();
                }
            });
        }
        if (!left.await(REMOVAL.toMillis(), TimeUnit.MILLISECONDS)) {
            tasks.problem("not removed in time: some of what was staged at "
                    + outputs.getFirst().finalUri() + " and beside; names that begin with .fb-, or open uploads");
        }
    }
}
