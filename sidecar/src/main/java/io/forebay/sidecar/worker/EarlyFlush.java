package io.forebay.sidecar.worker;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Output;
import io.forebay.api.job.Job.Publish;
import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Staging;
import io.forebay.sidecar.commit.Publisher;
import io.forebay.sidecar.flush.Flusher;
import io.forebay.sidecar.flush.Flusher.ChangingException;
import io.forebay.sidecar.flush.OutputFile;
import io.forebay.sidecar.flush.OutputRefusal;
import io.forebay.sidecar.flush.OutputScan;
import io.forebay.sidecar.flush.OutputScan.NameConflictException;
import io.forebay.sidecar.link.PatientLink;
import io.forebay.sidecar.step.StepHost;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.StepVariables;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Stages output files while their item still computes, as soon as nobody can write them any more, and publishes those of {@code
 * publish: OnClose} rules.
 *
 * <p>A file counts as closed when it looked the same in two scans <em>and</em> its owner (the runner) could take and give back a
 * read lease, so that no writable opening or mapping exists; and the same again after the copy. Scanning rather than inotify: its queue
 * overflows, its watches run out, and it says nothing of stores through a mapping (DESIGN 5, Flush). An early copy of an {@code OnItem} rule is
 * only a proposal: {@link FlushStage} compares its checksum with the buffer's bytes after the last step.
 *
 * <p>One thread per running attempt; thread-safe.
 */
final class EarlyFlush {
    private static final long SCAN_MILLIS = 500;
    private static final long LEASE_ANSWER_SECONDS = 10;
    /** A scan may take at most this share of the time between two. */
    private static final int SCAN_SHARE = 10;

    private final Job job;
    private final Flusher flusher;
    private final Publisher publisher;
    private final PatientLink link;
    private final StepHost host;
    private final WorkerIdentity me;
    private final StepUsers users;

    EarlyFlush(
            Job job,
            Flusher flusher,
            Publisher publisher,
            PatientLink link,
            StepHost host,
            WorkerIdentity me,
            StepUsers users) {
        this.job = job;
        this.flusher = flusher;
        this.publisher = publisher;
        this.link = link;
        this.host = host;
        this.me = me;
        this.users = users;
    }

    /** A copy that exists at the destination. @param published visible already (OnClose) */
    record Copy(OutputFile.Seen seen, StagedOutput staged, boolean published) {}

    /** Copies of one attempt, by output rule and relative path. */
    static final class Copies {
        private final Map<String, Copy> byFile = new ConcurrentHashMap<>();
        /** All that was ever begun. */
        private final Set<StagedOutput> begun = ConcurrentHashMap.newKeySet();

        void begin(StagedOutput prepared) {
            begun.add(prepared);
        }

        /** What may be staged and invisible: for an attempt that publishes nothing. */
        List<StagedOutput> unpublished() {
            var published = new java.util.HashSet<String>();
            published().forEach(s -> published.add(s.handle()));
            return begun.stream().filter(s -> !published.contains(s.handle())).toList();
        }

        private static String key(String output, String relative) {
            return output + "\0" + relative;
        }

        void put(OutputFile file, Copy copy) {
            byFile.put(key(file.output(), file.relative()), copy);
        }

        @org.jspecify.annotations.Nullable
        Copy of(OutputFile file) {
            return byFile.get(key(file.output(), file.relative()));
        }

        /** Staged copies of files that are no longer wanted: to be discarded. */
        List<StagedOutput> except(List<OutputFile> wanted) {
            var keys = new java.util.HashSet<String>();
            wanted.forEach(f -> keys.add(key(f.output(), f.relative())));
            return byFile.entrySet().stream()
                    .filter(e -> !keys.contains(e.getKey()) && !e.getValue().published())
                    .map(e -> e.getValue().staged())
                    .toList();
        }

        List<StagedOutput> published() {
            return byFile.values().stream()
                    .filter(Copy::published)
                    .map(Copy::staged)
                    .toList();
        }

        void clear() {
            byFile.clear();
        }
    }

    /** Watches until closed; closing waits for a copy under way to end. */
    final class Watch implements AutoCloseable {
        private final Attempt attempt;
        private final Thread thread;
        private final CountDownLatch closing = new CountDownLatch(1);

        private Watch(Attempt attempt) {
            this.attempt = attempt;
            this.thread = Thread.ofVirtual()
                    .name("early-" + attempt.item() + "." + attempt.number())
                    .start(this::loop);
        }

        private void loop() {
            Map<String, OutputFile.Seen> before = new HashMap<>();
            Set<String> given = ConcurrentHashMap.newKeySet();
            long pause = SCAN_MILLIS;
            try {
                while (!closing.await(pause, TimeUnit.MILLISECONDS)) {
                    long began = System.nanoTime();
                    before = pass(before, given);
                    pause = Math.max(
                            SCAN_MILLIS, SCAN_SHARE * TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
                }
            } catch (InterruptedException e) {
                // Closed, or the attempt is being stopped: what was staged is in the coordinator's records.
                return;
            }
        }

        private Map<String, OutputFile.Seen> pass(Map<String, OutputFile.Seen> before, Set<String> given)
                throws InterruptedException {
            var now = new HashMap<String, OutputFile.Seen>();
            for (var file : scan(attempt)) {
                if (file.kind() != OutputFile.Kind.FILE || closing.getCount() == 0) {
                    continue;
                }
                now.put(file.to().toString(), file.seen());
                var copy = attempt.copies().of(file);
                boolean quiet = file.seen().equals(before.get(file.to().toString()));
                if (!quiet
                        || given.contains(file.to().toString())
                        || (copy != null && copy.seen().equals(file.seen()))) {
                    continue;
                }
                if (!closed(file)) {
                    continue;
                }
                try {
                    take(file);
                } catch (StoreException | BufferIoException | ChangingException | Fenced | IOException e) {
                    // Not fatal here: the flush after the last step meets the same fault and reports it.
                    given.add(file.to().toString());
                }
            }
            return now;
        }

        private boolean closed(OutputFile file) throws InterruptedException {
            CommandId running = attempt.running();
            if (running == null) {
                return false;
            }
            try {
                return host.isUnwritten(running, file.path()).get(LEASE_ANSWER_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                return false;
            }
        }

        private void take(OutputFile file)
                throws StoreException, BufferIoException, ChangingException, Fenced, IOException, InterruptedException {
            boolean onClose = rule(file).publish() == Publish.ON_CLOSE;
            var prepared =
                    flusher.prepare(file, attempt.item(), attempt.generation(), attempt.number(), attempt.again());
            if (!onClose && prepared.kind().equals("INLINE")) {
                return;
            }
            attempt.copies().begin(prepared);
            announce(prepared);
            var staged = flusher.stage(file, prepared);
            if (!onClose) {
                attempt.copies().put(file, new Copy(file.seen(), staged, false));
                return;
            }
            if (!closed(file) || !OutputScan.seen(file.path()).equals(file.seen())) {
                publisher.discard(List.of(staged));
                return;
            }
            var answer = link.commit(new CommitRequest(
                    me.worker(),
                    me.instance(),
                    attempt.item(),
                    attempt.generation(),
                    attempt.number(),
                    true,
                    true,
                    List.of(staged)));
            if (answer.refusal() != null) {
                publisher.discard(List.of(staged));
                throw new Fenced(answer.refusal().message());
            }
            var lost = publisher.publish(List.of(staged), s -> file.path());
            if (lost.isEmpty()) {
                attempt.copies().put(file, new Copy(file.seen(), staged, true));
            }
        }

        private void announce(StagedOutput prepared) throws Fenced, InterruptedException {
            var answer = link.staging(new Staging(
                    me.worker(),
                    me.instance(),
                    attempt.item(),
                    attempt.generation(),
                    attempt.number(),
                    List.of(prepared)));
            if (answer.refusal() != null) {
                throw new Fenced(answer.refusal().message());
            }
        }

        @Override
        public void close() throws InterruptedException {
            closing.countDown();
            thread.join();
        }

        /** Without waiting for the copy under way. */
        void abandon() throws InterruptedException {
            closing.countDown();
            thread.interrupt();
            thread.join();
        }
    }

    /** For the time in which the attempt's steps run. */
    Watch watch(Attempt attempt) {
        return new Watch(attempt);
    }

    private Output rule(OutputFile file) {
        return job.outputs().stream()
                .filter(o -> o.name().equals(file.output()))
                .findFirst()
                .orElseThrow();
    }

    private List<OutputFile> scan(Attempt attempt) {
        try {
            var out = attempt.space().out();
            var files = OutputScan.of(
                            out,
                            job.outputs(),
                            true,
                            StepVariables.ofKey(job, attempt.lease().key()),
                            users.modesOf(attempt))
                    .files();
            // The flush after the last step says why; until then nothing of such an item leaves.
            return OutputRefusal.first(files, job, Path.of(out)).isPresent() ? List.of() : files;
        } catch (NameConflictException | IllegalArgumentException | IOException e) {
            // A tree that changes under the scan, or a fault that the flush after the last step reports.
            return List.of();
        }
    }
}
