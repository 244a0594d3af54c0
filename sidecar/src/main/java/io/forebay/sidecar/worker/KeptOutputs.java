package io.forebay.sidecar.worker;

import io.forebay.api.job.Job;
import io.forebay.api.name.Printable;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.flush.Modes;
import io.forebay.sidecar.flush.OutputFile;
import io.forebay.sidecar.flush.OutputScan;
import io.forebay.sidecar.flush.OutputScan.NameConflictException;
import io.forebay.sidecar.journal.Journal;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.journal.JournalRecord.KeptOutput;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.step.StepVariables;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.transfer.Transfers;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Outputs that stay in the buffer when a run ends. They are synced and described in the journal before anybody is told that they are kept; the
 * next life publishes only what is still as described (docs/decisions/0015-kept-outputs-are-described.md). Thread-safe.
 */
final class KeptOutputs {
    static final String UNKNOWN = "there was no time to look at it when the run ended";

    private static final int FILES_AT_ONCE = 16;
    /** Below the item's out/: its own folder, that of all items, the tier's, and the one that the tier lies in. */
    private static final int FOLDERS_ABOVE = 4;
    /** After a drain's time is over; shorter than the coordinator then waits for reports. */
    private static final Duration LAST_LOOK = Duration.ofSeconds(2);

    private static final long ASK_MILLIS = 100;

    private final Job job;
    private final Transfers transfers;
    private final Journal journal;

    KeptOutputs(Job job, Transfers transfers, Journal journal) {
        this.job = job;
        this.transfers = transfers;
        this.journal = journal;
    }

    /**
     * Once for each attempt; blocks until they are durable and described, or a drain's time is over. Interruptions change nothing.
     *
     * @param success whether the rules select for a success
     * @return the list; where there was no time it says so
     * @throws IOException the journal failed
     */
    List<Unexported> keep(Attempt attempt, boolean success, List<Unexported> list) throws IOException {
        if (list.isEmpty() || !attempt.hasSpace() || attempt.isDescribed()) {
            return list;
        }
        var outputs = look(attempt, success);
        boolean whole = !outputs.isEmpty();
        journal.append(new JournalRecord.Kept(
                attempt.item(), attempt.generation(), attempt.number(), whole, success, outputs));
        attempt.markDescribed();
        return whole
                ? list
                : list.stream()
                        .map(u -> because(u, u.cause() + "; " + UNKNOWN + ": the next run does the item again"))
                        .toList();
    }

    private static Unexported because(Unexported u, String cause) {
        return new Unexported(u.item(), u.output(), u.path(), u.to(), u.size(), cause, u.keptAt());
    }

    /** @return empty: it could not be done, or not in time */
    private List<KeptOutput> look(Attempt attempt, boolean success) {
        var found = new CompletableFuture<List<KeptOutput>>();
        var out = attempt.space().out();
        var key = attempt.lease().key();
        var looking = Thread.ofVirtual().name("keep-" + attempt.item()).start(() -> {
            try {
                found.complete(synced(out, success, key));
            } catch (Exception e) {
                found.completeExceptionally(e);
            }
        });
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return found.get(ASK_MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    // Asked below.
                } catch (ExecutionException e) {
                    return List.of();
                }
                if (isTimeOver(attempt)) {
                    looking.interrupt();
                    return List.of();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean isTimeOver(Attempt attempt) {
        var drain = attempt.drain();
        return drain != null && System.currentTimeMillis() > drain.untilMillis() + LAST_LOOK.toMillis();
    }

    private List<KeptOutput> synced(String out, boolean success, String key) throws Exception {
        var files = select(out, success, key);
        var sums = Fan.out("keep", files, FILES_AT_ONCE, this::syncedSum);
        var folders = folders(out, files);
        transfers.retrying("sync the folders of " + out, () -> sync(folders));
        var outputs = new ArrayList<KeptOutput>(files.size());
        for (int i = 0; i < files.size(); i++) {
            outputs.add(described(files.get(i), sums.get(i)));
        }
        return outputs;
    }

    private String syncedSum(OutputFile file)
            throws StoreException, BufferIoException, IOException, InterruptedException {
        if (file.kind() != OutputFile.Kind.FILE) {
            return "";
        }
        transfers.retrying("sync " + file.path(), () -> sync(List.of(file.path())));
        var sum = sum(file.path());
        if (!OutputScan.seen(file.path()).equals(file.seen())) {
            throw new IOException(file.path() + " is still being written");
        }
        return sum;
    }

    private String sum(String path) throws BufferIoException, InterruptedException {
        return "%08x".formatted(transfers.checksum(path));
    }

    private static boolean sync(Iterable<String> paths) throws StoreException {
        for (var path : paths) {
            try (var fd = Posix.open(path, Open.RDONLY | Open.NOFOLLOW)) {
                PosixIo.fsync(fd);
            } catch (PosixException e) {
                throw new StoreException(StoreException.Kind.PERMANENT, path + ": " + e.getMessage(), e);
            }
        }
        return true;
    }

    /** Deepest first. */
    private static LinkedHashSet<String> folders(String out, List<OutputFile> files) {
        var folders = new LinkedHashSet<String>();
        for (var file : files) {
            for (var at = parent(file.path()); at.length() > out.length(); at = parent(at)) {
                folders.add(at);
            }
        }
        var at = out;
        for (int i = 0; i <= FOLDERS_ABOVE && !at.isEmpty(); i++) {
            folders.add(at);
            at = parent(at);
        }
        return folders;
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    private static KeptOutput described(OutputFile file, String sum) {
        return new KeptOutput(
                file.output(),
                file.relative(),
                file.to().toString(),
                file.kind().name(),
                file.size(),
                sum,
                file.meta().mode(),
                file.meta().linkTarget());
    }

    private List<OutputFile> select(String out, boolean success, String key)
            throws PosixException, NameConflictException {
        return OutputScan.of(out, job.outputs(), success, StepVariables.ofKey(job, key), Modes.AS_THEY_ARE)
                .files();
    }

    /** What lies there now, as it is listed; an unreadable folder lists nothing. */
    List<Unexported> list(String out, String key, boolean success, String cause) {
        try {
            return select(out, success, key).stream()
                    .map(f ->
                            new Unexported(key, f.output(), f.relative(), f.to().toString(), f.size(), cause, f.path()))
                    .toList();
        } catch (PosixException | NameConflictException | IllegalArgumentException e) {
            return List.of();
        }
    }

    // ---- the next life

    /**
     * Reads all of them.
     *
     * @param out where they lie now
     * @return what is not as described, for people; empty: nothing
     */
    Optional<String> differs(String out, String key, JournalRecord.Kept kept) throws InterruptedException {
        return kept.whole() ? differs(out, key, kept.success(), kept.outputs(), true) : Optional.of(UNKNOWN);
    }

    /** As above, of what was staged; there may be more that was not. */
    Optional<String> differsFromStaged(String out, String key, boolean success, List<StagedOutput> staged)
            throws InterruptedException {
        return differs(
                out, key, success, staged.stream().map(KeptOutputs::described).toList(), false);
    }

    private static KeptOutput described(StagedOutput s) {
        var kind = s.link() != null
                ? OutputFile.Kind.LINK
                : s.kind().equals(StagedFile.Kind.FOLDER.name()) ? OutputFile.Kind.FOLDER : OutputFile.Kind.FILE;
        var sum = kind == OutputFile.Kind.FILE ? s.crc32c() : "";
        return new KeptOutput(s.output(), s.relative(), s.finalUri(), kind.name(), s.size(), sum, -1, s.link());
    }

    private Optional<String> differs(String out, String key, boolean success, List<KeptOutput> described, boolean all)
            throws InterruptedException {
        try {
            Map<String, OutputFile> there = new LinkedHashMap<>();
            select(out, success, key).forEach(f -> there.put(name(f.output(), f.relative()), f));
            var found = new ArrayList<@Nullable OutputFile>();
            described.forEach(d -> found.add(there.remove(name(d.output(), d.path()))));
            for (int i = 0; i < described.size(); i++) {
                var difference = difference(described.get(i), found.get(i));
                if (difference != null) {
                    return Optional.of(difference);
                }
            }
            if (all && !there.isEmpty()) {
                return Optional.of(Printable.name(
                                there.values().iterator().next().relative()) + " was not there when it was kept");
            }
            return otherBytes(out, described);
        } catch (PosixException | NameConflictException | IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static String name(String output, String path) {
        return output + '\0' + path;
    }

    private static @Nullable String difference(KeptOutput was, @Nullable OutputFile is) {
        var name = Printable.name(was.path());
        if (is == null) {
            return name + " is not there any more";
        }
        if (!is.kind().name().equals(was.kind())) {
            return name + " is another kind of file now";
        }
        return switch (is.kind()) {
            case LINK ->
                String.valueOf(is.meta().linkTarget()).equals(String.valueOf(was.link()))
                        ? null
                        : name + " links elsewhere now";
            case FOLDER -> mode(name, was, is);
            case FILE ->
                is.size() == was.size()
                        ? mode(name, was, is)
                        : name + " has " + is.size() + " bytes instead of " + was.size();
        };
    }

    private static @Nullable String mode(String name, KeptOutput was, OutputFile is) {
        return was.mode() == -1 || was.mode() == is.meta().mode()
                ? null
                : "%s has mode %03o instead of %03o".formatted(name, is.meta().mode(), was.mode());
    }

    private Optional<String> otherBytes(String out, List<KeptOutput> described) throws InterruptedException {
        var files = described.stream().filter(d -> !d.crc32c().isEmpty()).toList();
        if (files.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Fan.out("verify", files, FILES_AT_ONCE, d -> otherBytes(out, d)).stream()
                    .flatMap(Optional::stream)
                    .findFirst();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private Optional<String> otherBytes(String out, KeptOutput d) throws BufferIoException, InterruptedException {
        var sum = sum(out + "/" + d.path());
        return sum.equals(d.crc32c())
                ? Optional.empty()
                : Optional.of(Printable.name(d.path()) + " has other bytes (CRC32C " + sum + " instead of " + d.crc32c()
                        + ")");
    }
}
