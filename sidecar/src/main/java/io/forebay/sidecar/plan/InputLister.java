package io.forebay.sidecar.plan;

import io.forebay.api.job.Job.Input;
import io.forebay.api.name.NameBytes;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.records.StoreRetry;
import io.forebay.sidecar.spool.JsonSpool;
import io.forebay.sidecar.spool.SpoolSort;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.OwnNames;
import io.forebay.sidecar.store.Store.EntrySink;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Lists one input: what its patterns select, with pinned versions, in the order of the keys' bytes. A listing that fails in
 * passing begins again from nothing, so that no half of one is ever taken for the whole.
 */
final class InputLister {
    /** Gets what was selected, in order. */
    interface Sink {
        /** @param relative its key below the input's prefix */
        void file(String relative, PlannedFile file) throws IOException;
    }

    /**
     * @param seen files looked at
     * @param selected files that the patterns selected
     * @param unusable what they selected beside these, and can be no input
     * @param noFiles what they selected beside these, and is no file
     */
    record Count(long seen, long selected, long bytes, long unusable, NoFiles noFiles) {
        /** The same without selected files that were told again. */
        Count without(long files, long theirBytes) {
            return new Count(seen - files, selected - files, bytes - theirBytes, unusable, noFiles);
        }
    }

    private final Stores stores;
    private final StoreRetry retry;
    private final Path scratch;
    private final JsonSpool leftOut;
    private final Consumer<String> tell;
    private final Duration firstLine;

    /**
     * @param leftOut gets selected files that can be no input
     * @param tell gets lines for the user while a listing takes long
     * @param firstLine how long one takes before the first of them
     */
    InputLister(
            Stores stores,
            StoreRetry retry,
            Path scratch,
            JsonSpool leftOut,
            Consumer<String> tell,
            Duration firstLine) {
        this.stores = stores;
        this.retry = retry;
        this.scratch = scratch;
        this.leftOut = leftOut;
        this.tell = tell;
        this.firstLine = firstLine;
    }

    Count list(Input input, Sink sink) throws StoreException, IOException, InterruptedException {
        var store = stores.at(input.source());
        var request = new ListRequest(input.source().path(), fixedPrefix(input), input.symlinks(), false);
        try (var files = new SpoolSort(scratch);
                var bad = new JsonSpool(scratch);
                var watch = new ListingWatch(input.source().toString(), store.where(), tell, firstLine)) {
            var round = new Round[1];
            try {
                retry.run(() -> {
                    try {
                        files.clear();
                        bad.clear();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    round[0] = new Round(input, files, bad, watch);
                    watch.begun();
                    try {
                        store.list(request, round[0]);
                    } catch (StoreException e) {
                        watch.failed(e);
                        throw e;
                    }
                });
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            var once = new OncePerKey(sink);
            files.drain(once);
            once.requireOneVersionEach(
                    "the listing of " + input.source() + (store.where().isEmpty() ? "" : " at " + store.where()));
            bad.finish();
            for (int i = 0; i < bad.size(); i++) {
                leftOut.append(bad.get(i));
            }
            return round[0].count().without(once.repeated(), once.repeatedBytes());
        }
    }

    /** The text that every selected key starts with: what the include patterns' literal starts have in common. */
    private static String fixedPrefix(Input input) {
        var common = input.include().isEmpty() ? "" : input.include().getFirst().fixedPrefix();
        for (var glob : input.include()) {
            var other = glob.fixedPrefix();
            int n = 0;
            while (n < Math.min(common.length(), other.length()) && common.charAt(n) == other.charAt(n)) {
                n++;
            }
            common = common.substring(0, n);
        }
        return common;
    }

    /** One try of a listing. */
    private static final class Round implements EntrySink {
        private final Input input;
        private final SpoolSort files;
        private final JsonSpool bad;
        private final ListingWatch watch;
        private long seen;
        private long selected;
        private long bytes;
        private long unusable;
        private final NoFiles noFiles = new NoFiles();

        Round(Input input, SpoolSort files, JsonSpool bad, ListingWatch watch) {
            this.input = input;
            this.files = files;
            this.bad = bad;
            this.watch = watch;
        }

        Count count() {
            return new Count(seen, selected, bytes, unusable, noFiles);
        }

        @Override
        public void found(Entry entry) {
            if (OwnNames.endsInTemporary(entry.key())) {
                noFile(entry.key(), OwnNames.TEMPORARY_FILE);
                return;
            }
            if (!isSelected(entry.key())) {
                return;
            }
            var relative = relative(entry.key());
            selected++;
            bytes += entry.version().size();
            var uri = new StoreUri(input.source().scheme(), input.source().authority(), entry.key());
            var file = new ItemInput(
                    input.name(),
                    uri.toString(),
                    relative,
                    entry.version().size(),
                    entry.version().pin(),
                    entry.meta().mode(),
                    entry.meta().mtimeNanos(),
                    entry.kind() == Entry.Kind.SYMLINK ? entry.meta().linkTarget() : null);
            try {
                files.add(
                        NameBytes.encode(relative),
                        PlannedFile.of(file, entry.version()).toBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void leftOut(String key, String why) {
            if (isSelected(key)) {
                unusable++;
                leaveOut(relative(key), why, true);
            }
        }

        @Override
        public void noFile(String key, String what) {
            if (isSelected(key)) {
                noFiles.add(relative(key), what);
                leaveOut(relative(key), "it is " + what + ": it holds no bytes that could be staged", false);
            }
        }

        private boolean isSelected(String key) {
            watch.came();
            var relative = relative(key);
            if (holdsRecords(relative)) {
                return false;
            }
            seen++;
            return selects(relative);
        }

        private void leaveOut(String relative, String why, boolean missing) {
            try {
                bad.append(new LeftOut(input.name(), relative, why, missing));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void triedAgain(StoreException why) {
            watch.failed(why);
        }

        private boolean selects(String relative) {
            return (input.include().isEmpty() || matchesAny(input.include(), relative))
                    && !matchesAny(input.exclude(), relative);
        }

        private static boolean matchesAny(Iterable<Glob> globs, String relative) {
            for (var glob : globs) {
                if (glob.matches(relative)) {
                    return true;
                }
            }
            return false;
        }

        private String relative(String key) {
            var prefix = input.source().path();
            var folder = prefix.isEmpty() || prefix.endsWith("/") ? prefix : prefix + "/";
            if (key.startsWith(folder) && key.length() > folder.length()) {
                return key.substring(folder.length());
            }
            return key.equals(prefix) ? key.substring(key.lastIndexOf('/') + 1) : key;
        }

        /** Records of jobs, which nobody is told of: they lie below many a folder of results. */
        private static boolean holdsRecords(String relative) {
            for (var part : relative.split("/", -1)) {
                if (OwnNames.isRecords(part)) {
                    return true;
                }
            }
            return false;
        }
    }
}
