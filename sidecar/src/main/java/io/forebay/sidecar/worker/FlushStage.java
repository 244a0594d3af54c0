package io.forebay.sidecar.worker;

import io.forebay.api.job.Job;
import io.forebay.api.name.Printable;
import io.forebay.message.Messages.Drain;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.Refusal;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Staging;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.commit.Publisher;
import io.forebay.sidecar.flush.Flusher;
import io.forebay.sidecar.flush.Flusher.ChangingException;
import io.forebay.sidecar.flush.OutputFile;
import io.forebay.sidecar.flush.OutputRefusal;
import io.forebay.sidecar.flush.OutputScan;
import io.forebay.sidecar.flush.OutputScan.NameConflictException;
import io.forebay.sidecar.flush.SpecialFiles;
import io.forebay.sidecar.link.PatientLink;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.step.StepVariables;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.transfer.Transfers;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds what an attempt left in $(OUT), and stages it. Thread-safe. */
final class FlushStage {
    /** Files of one item at once; the bytes in flight are bounded by the transfer engine. */
    private static final int FILES_AT_ONCE = 64;
    /** Names per message to the coordinator, well below its body limit. */
    private static final int NAMES_PER_MESSAGE = 2000;

    private static final int MOST_SCANS = 3;
    /** For removing what an interrupted flush left; what is not removed then, the next coordinator removes. */
    private static final Duration DISCARD = Duration.ofSeconds(5);

    private final Job job;
    private final Flusher flusher;
    private final Publisher publisher;
    private final Transfers transfers;
    private final PatientLink link;
    private final WorkerIdentity me;
    private final StepUsers users;
    private final SpecialFiles special;
    private final Consumer<String> tell;
    private final FlushGate gate = new FlushGate();

    /** @param special gets what is selected and cannot be published @param tell hears of it */
    FlushStage(
            Job job,
            Flusher flusher,
            Publisher publisher,
            Transfers transfers,
            PatientLink link,
            WorkerIdentity me,
            StepUsers users,
            SpecialFiles special,
            Consumer<String> tell) {
        this.job = job;
        this.flusher = flusher;
        this.publisher = publisher;
        this.transfers = transfers;
        this.link = link;
        this.me = me;
        this.users = users;
        this.special = special;
        this.tell = tell;
    }

    /** The job drains: see {@link FlushGate}. */
    void drain(Drain order) {
        gate.drain(order);
    }

    /** @return all selected outputs, sealed; empty if there are none */
    List<StagedOutput> stage(Attempt attempt, boolean success) throws AttemptFailed, Fenced, InterruptedException {
        for (int scans = 1; ; scans++) {
            var scan = select(attempt, success);
            var files = bySize(scan);
            try {
                var staged = files.isEmpty() ? List.<StagedOutput>of() : stageAll(attempt, files);
                tell(attempt.lease().key(), scan.special());
                return staged;
            } catch (ChangingException e) {
                if (scans == MOST_SCANS) {
                    throw new AttemptFailed(
                            Failures.stillWritten(String.valueOf(e.getMessage())),
                            unexported(attempt, files, "still being written"));
                }
            }
        }
    }

    private void tell(String item, SpecialFiles found) {
        if (special.addAll(item, found)) {
            found.words().ifPresent(words -> tell.accept("item " + Printable.name(item) + " left " + words));
        }
    }

    private static List<OutputFile> bySize(OutputScan scan) {
        return scan.files().stream()
                .sorted(Comparator.comparingLong(OutputFile::size))
                .toList();
    }

    private OutputScan select(Attempt attempt, boolean success) throws AttemptFailed {
        try {
            var scan = OutputScan.of(
                    attempt.space().out(),
                    job.outputs(),
                    success,
                    StepVariables.ofKey(job, attempt.lease().key()),
                    users.modesOf(attempt));
            if (success && !scan.missing().isEmpty()) {
                throw new AttemptFailed(
                        Failures.missingOutput("item " + attempt.lease().key() + " left no file for its required output"
                                + (scan.missing().size() > 1 ? "s " : " ") + String.join(", ", scan.missing())
                                + " below $(OUT)"
                                + scan.special()
                                        .words()
                                        .map(words -> "; selected is " + words)
                                        .orElse("")));
            }
            var refusal = OutputRefusal.first(
                    scan.files(), job, Path.of(attempt.space().out()));
            if (refusal.isPresent()) {
                throw badOutput(attempt, refusal.get());
            }
            return scan;
        } catch (NameConflictException e) {
            throw new AttemptFailed(
                    Failures.nameConflict("item " + attempt.lease().key() + ": " + e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw badOutput(attempt, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new AttemptFailed(unreadable(attempt, e, e));
        }
    }

    private static AttemptFailed badOutput(Attempt attempt, String why) {
        var rest = attempt.copies().published().isEmpty()
                ? "nothing of this item is published"
                : "of this item only what was published when it was closed stays";
        return new AttemptFailed(Failures.badOutput("item " + attempt.lease().key() + ": " + why + "; " + rest
                + ". Mend the step, or the rule of outputs: the next run does the item anew"));
    }

    private static Failure unreadable(Attempt attempt, Exception e, @Nullable Throwable cause) {
        var message = "cannot read $(OUT) of item " + attempt.lease().key() + ": " + e.getMessage();
        return cause instanceof PosixException posix && posix.is(Errno.EACCES)
                ? Failures.closedOutput(message + "; a step took the right to read it away: let it leave what it makes"
                        + " readable (chmod -R u+rX)")
                : Failures.bufferFull(message, -1);
    }

    private List<StagedOutput> stageAll(Attempt attempt, List<OutputFile> files)
            throws AttemptFailed, Fenced, ChangingException, InterruptedException {
        try {
            publisher.discard(attempt.copies().except(files));
            var early = Fan.out("recheck", files, FILES_AT_ONCE, f -> reusable(attempt, f));
            var rest = new ArrayList<OutputFile>();
            for (int i = 0; i < files.size(); i++) {
                if (early.get(i).isEmpty()) {
                    rest.add(files.get(i));
                }
            }
            var staged = stageNow(attempt, rest);
            var all = new ArrayList<StagedOutput>(files.size());
            int next = 0;
            for (var copy : early) {
                if (copy.isPresent() && copy.get().published()) {
                    continue;
                }
                all.add(copy.isPresent() ? copy.get().staged() : staged.get(next++));
            }
            return all;
        } catch (StoreException e) {
            throw new AttemptFailed(
                    Failures.flush(
                            "cannot stage the outputs of item "
                                    + attempt.lease().key() + ": " + e.getMessage(),
                            e),
                    unexported(attempt, files, String.valueOf(e.getMessage())));
        } catch (BufferIoException e) {
            throw new AttemptFailed(unreadable(attempt, e, e.getCause()));
        } catch (ChangingException | AttemptFailed | Fenced | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AttemptFailed(Failures.own(e));
        }
    }

    private List<StagedOutput> stageNow(Attempt attempt, List<OutputFile> files) throws Exception {
        var prepared = Fan.out(
                "prepare",
                files,
                FILES_AT_ONCE,
                f -> flusher.prepare(f, attempt.item(), attempt.generation(), attempt.number(), attempt.again()));
        try {
            announce(attempt, prepared);
        } catch (Fenced e) {
            // Nobody else knows the uploads that were opened for it.
            publisher.discard(prepared);
            throw e;
        }
        var indexes = IntStream.range(0, files.size()).boxed().toList();
        try {
            return Fan.out(
                    "flush",
                    indexes,
                    FILES_AT_ONCE,
                    i -> gate.through(
                            files.get(i).root().toString(),
                            files.get(i).size(),
                            () -> flusher.stage(files.get(i), prepared.get(i))));
        } catch (StoreException | BufferIoException | ChangingException e) {
            publisher.discard(prepared);
            throw e;
        } catch (InterruptedException e) {
            discardApart(prepared);
            throw e;
        }
    }

    /** What was staged while the steps ran, of an attempt that publishes nothing. */
    void discardEarly(Attempt attempt) {
        var early = attempt.copies().unpublished();
        if (!early.isEmpty()) {
            discardApart(early);
        }
    }

    /** By a thread that nobody interrupts; waits for it a bounded time, however often this one is interrupted. */
    private void discardApart(List<StagedOutput> prepared) {
        var discarding = Thread.ofVirtual().name("discard").start(() -> {
            try {
                publisher.discard(prepared);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        long end = System.nanoTime() + DISCARD.toNanos();
        boolean interrupted = false;
        while (discarding.isAlive() && System.nanoTime() < end) {
            try {
                discarding.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** An early copy, if it is what the buffer holds now, byte for byte: stores through a mapping leave no other trace. */
    private Optional<EarlyFlush.Copy> reusable(Attempt attempt, OutputFile file)
            throws BufferIoException, InterruptedException {
        var copy = attempt.copies().of(file);
        if (copy == null || file.kind() != OutputFile.Kind.FILE) {
            return Optional.empty();
        }
        if (copy.staged().size() == file.size()
                && "%08x"
                        .formatted(transfers.checksum(file.path()))
                        .equals(copy.staged().crc32c())
                && OutputScan.seen(file.path()).equals(file.seen())) {
            return Optional.of(copy);
        }
        if (!copy.published()) {
            publisher.discard(List.of(copy.staged()));
        }
        return Optional.empty();
    }

    /**
     * Before a byte goes to a destination the coordinator has its place on record, so that it can be removed. An upload of S3's is open by
     * then, since S3 chooses its id: what a kill in between leaves the next attempt removes.
     */
    private void announce(Attempt attempt, List<StagedOutput> prepared) throws Fenced, InterruptedException {
        for (int from = 0; from < prepared.size(); from += NAMES_PER_MESSAGE) {
            var some = prepared.subList(from, Math.min(prepared.size(), from + NAMES_PER_MESSAGE));
            var answer = link.staging(new Staging(
                    me.worker(),
                    me.instance(),
                    attempt.item(),
                    attempt.generation(),
                    attempt.number(),
                    List.copyOf(some)));
            Refusal refusal = answer.refusal();
            if (refusal != null) {
                throw new Fenced(refusal.message());
            }
        }
    }

    /** What is selected and not exported, for the list. Best effort: an unreadable folder lists nothing. */
    List<Unexported> unexported(Attempt attempt, boolean success, String cause) {
        try {
            return unexported(attempt, select(attempt, success).files(), cause);
        } catch (AttemptFailed e) {
            return List.of();
        }
    }

    private static List<Unexported> unexported(Attempt attempt, List<OutputFile> files, String cause) {
        var list = new ArrayList<Unexported>(files.size());
        for (var f : files) {
            list.add(new Unexported(
                    attempt.lease().key(), f.output(), f.relative(), f.to().toString(), f.size(), cause, f.path()));
        }
        return list;
    }
}
