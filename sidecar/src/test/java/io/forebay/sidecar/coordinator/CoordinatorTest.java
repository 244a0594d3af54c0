package io.forebay.sidecar.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.value.StoreUri;
import io.forebay.message.JobProgress;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.Unexported;
import io.forebay.message.Messages.WorkerCounters;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.records.ProcessIdentity;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import io.forebay.testing.CoordinatorRig;
import io.forebay.testing.CoordinatorRig.JobMaker;
import io.forebay.testing.FakeWorker;
import io.forebay.testing.ListingOnly;
import io.forebay.testing.RecordsMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the coordinator decides, with workers made of plain calls. */
class CoordinatorTest {
    @TempDir
    Path scratch;

    private final RecordsMemoryStore bucket = new RecordsMemoryStore();
    private final JobMaker maker = new JobMaker();
    private CoordinatorRig rig;

    @BeforeEach
    void rig() {
        rig = new CoordinatorRig(bucket, scratch);
    }

    @AfterEach
    void leavesNoScratch() {
        assertThat(scratch).isEmptyDirectory();
    }

    private Coordinator start(RunMode mode) throws Exception {
        return rig.start(maker.job(), mode);
    }

    private FakeWorker worker(Coordinator coordinator, String name) throws Exception {
        var worker = rig.worker(name);
        worker.register(coordinator);
        return worker;
    }

    private static Unexported unexported(String key) {
        return new Unexported(key, "result", key, "s3://bucket/out/" + key, 100, "403", "/buffer/" + key);
    }

    private static Failure denied() {
        return new Failure("Flush", "403 AccessDenied", 74, true, true, false, false);
    }

    private String unexportedList() {
        return bucket.text("records/increment/UNEXPORTED.jsonl");
    }

    @Test
    @DisplayName("a job of 25 items is planned, leased, committed and ends with 0")
    void happyPath() throws Exception {
        rig.inputs(25);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            assertThat(worker.carryAll(coordinator)).isEqualTo(25);
            var summary = coordinator.await();
            assertThat(summary.code()).isEqualTo(ExitCode.DURABLE);
            assertThat(summary.done()).isEqualTo(25);
            assertThat(summary.failed()).isZero();
        }
        assertThat(bucket.keys().stream().filter(k -> k.startsWith("out/"))).hasSize(25);
        assertThat(bucket.text("out/007.nii")).isEqualTo("output of 007.nii by 1");
        assertThat(bucket.stagedHandles()).isEmpty();
    }

    @Test
    @DisplayName(
            "N3 what a listing left out is told by name as the run begins, the rest is run, and the run ends with 65")
    void leftOutIsTold() throws Exception {
        maker.records = StoreUri.parse("s3://elsewhere/records/");
        bucket.set("in/ok", "input");
        var strange = new ListingOnly() {
            @Override
            public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
                for (int i = 0; i < 7; i++) {
                    sink.leftOut("in/\udcff" + i + "\n.txt", "the key is not UTF-8, which S3 keys must be");
                }
                bucket.list(request, sink);
            }
        };
        var stores = new Stores(List.of(), (root, access) -> root.authority().equals("elsewhere") ? bucket : strange);
        try (var coordinator = Coordinator.open(maker.job(), stores, rig.options(RunMode.RUN))) {
            coordinator.start();
            assertThat(coordinator.notices())
                    .filteredOn(n -> n.contains("left out"))
                    .hasSize(6)
                    .contains(
                            "left out of input chunks: \\xff0\\u000a.txt: the key is not UTF-8, which S3 keys must be",
                            "2 more files that can be no input are left out; forebay plan names them");
            assertThat(worker(coordinator, "w0").carryAll(coordinator)).isEqualTo(1);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.NO_INPUT);
        }
    }

    @Test
    @DisplayName("C7 a finished job run again: 0 items, exit 0")
    void runAgain() throws Exception {
        rig.inputs(5);
        try (var coordinator = start(RunMode.RUN)) {
            worker(coordinator, "w0").carryAll(coordinator);
            coordinator.await();
        }
        for (var mode : new RunMode[] {RunMode.RUN, RunMode.RESUME, RunMode.CONTINUE}) {
            try (var coordinator = start(mode)) {
                assertThat(worker(coordinator, "w1").carryAll(coordinator))
                        .as(mode.name())
                        .isZero();
                var summary = coordinator.await();
                assertThat(summary.code()).isEqualTo(ExitCode.DURABLE);
                assertThat(summary.done()).isEqualTo(5);
            }
        }
        try (var coordinator = start(RunMode.FRESH)) {
            var worker = worker(coordinator, "w2");
            rig.pass(CoordinatorRig.LEASE);
            assertThat(worker.carryAll(coordinator)).as("fresh").isEqualTo(5);
        }
    }

    @Test
    @DisplayName(
            "R5 one input got other bytes of equal size: that item runs again, the others do not; the notice says how many")
    void changedInput() throws Exception {
        rig.inputs(5);
        try (var coordinator = start(RunMode.RUN)) {
            worker(coordinator, "w0").carryAll(coordinator);
            coordinator.await();
        }
        bucket.set("in/003.nii", "INPUT 3");
        try (var coordinator = start(RunMode.RUN)) {
            assertThat(coordinator.notices())
                    .anyMatch(n -> n.contains("1 of 5 items are run, 4 have completion records"));
            var worker = worker(coordinator, "w0");
            rig.pass(CoordinatorRig.LEASE);
            var leases = worker.lease(coordinator, 10);
            assertThat(leases)
                    .singleElement()
                    .satisfies(l -> assertThat(l.key()).isEqualTo("003.nii"));
            worker.carry(coordinator, leases.getFirst());
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.done()).isEqualTo(5);
                assertThat(s.skipped()).isEqualTo(4);
            });
        }
    }

    @Test
    @DisplayName(
            "R5 what a failed attempt read is told to the next, also by another coordinator; a new run begins without")
    void sumsOfInputs() throws Exception {
        rig.inputs(2);
        var read = List.of("0a1b2c3d");
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var leases = worker.lease(coordinator, 2);
            assertThat(leases).allSatisfy(l -> assertThat(l.sums()).isEmpty());
            worker.sums = read;
            worker.failed(coordinator, leases.getFirst(), FakeWorker.stepFailed(), List.of());
            worker.carry(coordinator, leases.getLast());
            var again = worker.lease(coordinator, 1).getFirst();
            assertThat(again.sums()).isEqualTo(read);
            // What comes first counts.
            worker.sums = List.of("ffffffff");
            worker.failed(coordinator, again, FakeWorker.stepFailed(), List.of());
        }
        try (var coordinator = start(RunMode.CONTINUE)) {
            var worker = worker(coordinator, "w1");
            rig.pass(CoordinatorRig.LEASE);
            var lease = worker.lease(coordinator, 1).getFirst();
            assertThat(lease.sums()).isEqualTo(read);
            worker.failed(coordinator, lease, FakeWorker.stepFailed(), List.of());
            coordinator.await();
        }
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w2");
            rig.pass(CoordinatorRig.LEASE);
            assertThat(worker.lease(coordinator, 1).getFirst().sums()).isEmpty();
        }
        var sums = new java.util.ArrayList<String>();
        io.forebay.sidecar.records.History.of(new io.forebay.sidecar.records.RecordsFolder(
                        bucket,
                        io.forebay.api.value.StoreUri.parse("s3://bucket/records/increment/"),
                        io.forebay.sidecar.records.StoreRetry.patient(Duration.ZERO)))
                .replay(
                        "completed"::equals,
                        e -> ((io.forebay.sidecar.records.LogEntry.Completed) e)
                                .inputs()
                                .forEach(i -> sums.add(i.crc32c())));
        assertThat(sums).as("in the completion record").isEqualTo(read);
    }

    @Test
    @DisplayName("records folder of a different job of the same name: identity decides, and the notice says so")
    void otherJobOfThatName() throws Exception {
        rig.inputs(3);
        try (var coordinator = start(RunMode.RUN)) {
            worker(coordinator, "w0").carryAll(coordinator);
            coordinator.await();
        }
        maker.to = "s3://bucket/other/$(DIR)/";
        try (var coordinator = start(RunMode.RUN)) {
            assertThat(coordinator.notices())
                    .anyMatch(n -> n.startsWith("the manifest has changed: 3 of 3 items are run"));
        }
    }

    @Test
    @DisplayName(
            "C2 C3 a coordinator gone with half the items done: a new one goes on, those are not run again, all others are")
    void succession() throws Exception {
        rig.inputs(20);
        var first = start(RunMode.RUN);
        var worker = worker(first, "w0");
        for (var lease : worker.lease(first, 10)) {
            worker.carry(first, lease);
        }
        var held = worker.lease(first, 3);
        first.close();
        try (var second = start(RunMode.CONTINUE)) {
            assertThat(second.generation()).isEqualTo(2);
            assertThat(worker.renew(second).generation()).isEqualTo(2);
            assertThat(worker.holds).as("what it holds stays with it").hasSize(3);
            var other = worker(second, "w1");
            assertThat(other.lease(second, 30))
                    .as("workers have one lease's time to report")
                    .isEmpty();
            rig.pass(CoordinatorRig.LEASE.minusSeconds(1));
            worker.renew(second);
            other.renew(second);
            assertThat(other.lease(second, 30)).isEmpty();
            rig.pass(Duration.ofSeconds(2));
            assertThat(other.lease(second, 30)).hasSize(7);
            for (var lease : held) {
                worker.carry(second, lease);
            }
            for (var lease : List.copyOf(other.holds.values())) {
                other.carry(second, lease);
            }
            assertThat(second.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.DURABLE);
                assertThat(s.done()).isEqualTo(20);
            });
        }
        for (int i = 0; i < 20; i++) {
            assertThat(bucket.text("out/%03d.nii".formatted(i))).endsWith(" by 1");
        }
    }

    @Test
    @DisplayName(
            "C10 killed between intent and publish, the worker gone: published from the intent alone, no item is run again")
    void intentIsCarriedOut() throws Exception {
        rig.inputs(2);
        var first = start(RunMode.RUN);
        var worker = worker(first, "w0");
        var lease = worker.lease(first, 1).getFirst();
        var outputs = List.of(worker.output(lease, "a"), worker.output(lease, "b"));
        worker.announce(first, lease, outputs);
        worker.stage(lease, outputs);
        assertThat(worker.commit(first, lease, true, outputs).refusal()).isNull();
        first.close();
        try (var second = start(RunMode.CONTINUE)) {
            second.tick();
            assertThat(bucket.text("out/a")).as("its worker may still report").isNull();
            rig.pass(CoordinatorRig.LEASE);
            second.tick();
            assertThat(bucket.text("out/a")).isEqualTo("output of 000.nii by 1");
            assertThat(bucket.text("out/b")).isEqualTo("output of 000.nii by 1");
            assertThat(worker(second, "w1").carryAll(second)).isEqualTo(1);
            assertThat(second.await().done()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("P7 killed between the 2nd and 3rd of 5 publishes: all 5 from one attempt, then the record")
    void halfPublished() throws Exception {
        rig.inputs(1);
        var first = start(RunMode.RUN);
        var worker = worker(first, "w0");
        var lease = worker.lease(first, 1).getFirst();
        var outputs = List.of("1", "2", "3", "4", "5").stream()
                .map(n -> worker.output(lease, n))
                .toList();
        worker.announce(first, lease, outputs);
        worker.stage(lease, outputs);
        worker.commit(first, lease, true, outputs);
        worker.publish(outputs.get(0));
        worker.publish(outputs.get(1));
        first.close();
        try (var second = start(RunMode.CONTINUE)) {
            rig.pass(CoordinatorRig.LEASE);
            second.tick();
            for (int i = 1; i <= 5; i++) {
                assertThat(bucket.text("out/" + i)).isEqualTo("output of 000.nii by 1");
            }
            assertThat(second.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName(
            "C10 pieces of an intent that died with a buffer: a new generation, once no request of the old one can come")
    void lostPieces() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lease = worker.lease(coordinator, 1).getFirst();
            var outputs = List.of(worker.output(lease, "big"), worker.output(lease, "small", "INLINE", ""));
            worker.announce(coordinator, lease, outputs);
            worker.stage(lease, outputs);
            worker.commit(coordinator, lease, true, outputs);
            rig.pass(CoordinatorRig.LEASE);
            coordinator.tick();
            var other = worker(coordinator, "w1");
            assertThat(other.lease(coordinator, 1))
                    .as("the silent worker may still send it")
                    .isEmpty();
            rig.pass(Duration.ofMinutes(17));
            coordinator.tick();
            other = worker(coordinator, "w1");
            var again = other.lease(coordinator, 1).getFirst();
            assertThat(again.generation()).isEqualTo(1);
            assertThat(again.attempt()).isEqualTo(2);
            other.carry(coordinator, again);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName("C10 a worker that comes back in the same place without its buffer: the new generation begins at once")
    void lostPiecesAfterRestart() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lease = worker.lease(coordinator, 1).getFirst();
            var outputs = List.of(worker.output(lease, "small", "INLINE", ""));
            worker.commit(coordinator, lease, true, outputs);
            var next = worker.restartedEmpty();
            next.register(coordinator);
            coordinator.tick();
            var again = next.lease(coordinator, 1).getFirst();
            assertThat(again.generation()).isEqualTo(1);
            next.carry(coordinator, again);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName(
            "R1 an attempt lost with staged outputs: they are removed before the item is leased again; all outputs are attempt 2's")
    void leftoversAreRemoved() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lease = worker.lease(coordinator, 1).getFirst();
            var outputs = List.of(worker.output(lease, "1"), worker.output(lease, "2"), worker.output(lease, "3"));
            worker.announce(coordinator, lease, outputs);
            worker.stage(lease, outputs);
            assertThat(bucket.stagedHandles()).hasSize(3);
            assertThat(worker.failed(coordinator, lease, FakeWorker.stepFailed(), List.of())
                            .again())
                    .isTrue();
            assertThat(worker.lease(coordinator, 1))
                    .as("not before they are gone")
                    .isEmpty();
            coordinator.tick();
            assertThat(bucket.stagedHandles()).isEmpty();
            var again = worker.lease(coordinator, 1).getFirst();
            assertThat(again.attempt()).isEqualTo(2);
            worker.carry(coordinator, again);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
            assertThat(bucket.text("out/000.nii")).endsWith(" by 2");
        }
    }

    @Test
    @DisplayName("R2 a worker frozen for longer than its lease: its commit is refused, its staged files are removed")
    void fencedWorker() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var frozen = worker(coordinator, "w0");
            var lease = frozen.lease(coordinator, 1).getFirst();
            var outputs = List.of(frozen.output(lease, "000.nii"));
            frozen.announce(coordinator, lease, outputs);
            frozen.stage(lease, outputs);
            rig.pass(Duration.ofSeconds(90));
            coordinator.tick();
            assertThat(bucket.stagedHandles()).isEmpty();
            var other = worker(coordinator, "w1");
            other.carry(coordinator, other.lease(coordinator, 1).getFirst());
            var answer = frozen.commit(coordinator, lease, true, outputs);
            assertThat(answer.refusal()).isNotNull();
            assertThat(answer.refusal().reason()).isEqualTo("FENCED");
            assertThat(frozen.announce(coordinator, lease, outputs).refusal().reason())
                    .isEqualTo("FENCED");
            assertThat(frozen.done(coordinator, lease, outputs).fenced()).isTrue();
            assertThat(bucket.text("out/000.nii")).endsWith(" by 2");
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName("R2 a worker started twice: the first process is fenced")
    void startedTwice() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var first = worker(coordinator, "w0");
            var lease = first.lease(coordinator, 1).getFirst();
            var second = first.restartedEmpty();
            second.register(coordinator);
            assertThat(first.commit(coordinator, lease, true, List.of(first.output(lease, "x")))
                            .refusal()
                            .reason())
                    .isEqualTo("FENCED");
            assertThat(first.renew(coordinator).cancel()).containsExactly(lease.item());
            assertThat(first.leases(coordinator, 1).drained())
                    .as("there is no place for it")
                    .isTrue();
            second.carryAll(coordinator);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName(
            "a worker that was cut off for longer than its lease takes up what nobody else was given, and loses the rest")
    void cutOff() throws Exception {
        rig.inputs(2);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var leases = worker.lease(coordinator, 2);
            rig.pass(CoordinatorRig.LEASE);
            coordinator.tick();
            var other = worker(coordinator, "w1");
            var taken = other.lease(coordinator, 1).getFirst();
            assertThat(taken.attempt()).isEqualTo(2);
            assertThat(worker.renew(coordinator).cancel()).containsExactly(taken.item());
            var kept = List.copyOf(worker.holds.values());
            assertThat(kept).hasSize(1);
            worker.carry(coordinator, kept.getFirst());
            other.carry(coordinator, taken);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
            assertThat(bucket.text("out/" + kept.getFirst().key())).endsWith(" by 1");
            assertThat(leases).hasSize(2);
        }
    }

    @Test
    @DisplayName("R2 a frozen coordinator that is thawed after its successor: commit refused, nothing leased")
    void thawedCoordinator() throws Exception {
        rig.inputs(2);
        try (var old = start(RunMode.RUN);
                var next = start(RunMode.CONTINUE)) {
            var worker = rig.worker("w0");
            assertThatThrownBy(() -> worker.register(old))
                    .isInstanceOf(LinkException.class)
                    .hasMessageContaining("taken over");
            worker.register(next);
            assertThat(old.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.PASSING);
                assertThat(s.notices()).anyMatch(n -> n.contains("another coordinator has taken over"));
            });
            rig.pass(CoordinatorRig.LEASE);
            worker.register(next);
            worker.carryAll(next);
            assertThat(next.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName("R7 retry.item: 2 and a command that always fails: started exactly 3 times")
    void alwaysFails() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            for (int attempt = 1; attempt <= 3; attempt++) {
                var lease = worker.lease(coordinator, 1).getFirst();
                assertThat(lease.attempt()).isEqualTo(attempt);
                assertThat(worker.commit(coordinator, lease, false, List.of(worker.output(lease, "debug")))
                                .refusal())
                        .satisfies(r -> assertThat(r == null ? "granted" : r.reason())
                                .isEqualTo(lease.attempt() < 3 ? "WILL_RETRY" : "granted"));
                assertThat(worker.failed(coordinator, lease, FakeWorker.stepFailed(), List.of())
                                .again())
                        .isEqualTo(attempt < 3);
            }
            assertThat(worker.lease(coordinator, 1)).isEmpty();
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.STEP_FAILED);
                assertThat(s.failedByReason()).containsEntry("StepFailed", 1L);
                assertThat(s.failures()).singleElement().satisfies(f -> {
                    assertThat(f.key()).isEqualTo("000.nii");
                    assertThat(f.lastStep().orElseThrow().logTail()).isEqualTo("log\n");
                });
            });
        }
        assertThat(bucket.keys().stream().filter(k -> k.startsWith("records/increment/logs/")))
                .hasSize(3);
    }

    @Test
    @DisplayName("R8 items lost with a node run elsewhere without using up retry.item")
    void nodeLost() throws Exception {
        rig.inputs(1);
        maker.retryItem = 0;
        maker.retryWorker = 100;
        try (var coordinator = start(RunMode.RUN)) {
            for (int i = 1; i <= 5; i++) {
                var worker = worker(coordinator, "w" + i);
                var lease = worker.lease(coordinator, 1).getFirst();
                assertThat(lease.attempt()).isEqualTo(i);
                rig.pass(CoordinatorRig.LEASE);
                coordinator.tick();
            }
            worker(coordinator, "last").carryAll(coordinator);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName(
            "a poison item that kills its worker is found: it runs alone and fails by name, what ran beside it is done")
    void poison() throws Exception {
        rig.inputs(4);
        maker.retryWorker = 100;
        maker.retryItem = 1;
        try (var coordinator = start(RunMode.RUN)) {
            int lives = 0;
            var worker = worker(coordinator, "w0");
            while (coordinator.progress().done() + coordinator.progress().failed() < 4) {
                assertThat(lives).as("lives of the worker").isLessThan(10);
                var leases = worker.lease(coordinator, 4);
                var poison =
                        leases.stream().filter(l -> l.key().equals("002.nii")).findFirst();
                if (poison.isPresent()) {
                    for (var lease : leases) {
                        worker.state(lease, "RUNNING");
                    }
                    worker.renew(coordinator);
                    worker = worker.restartedEmpty();
                    worker.register(coordinator);
                    lives++;
                } else {
                    for (var lease : leases) {
                        worker.carry(coordinator, lease);
                    }
                }
                coordinator.tick();
            }
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.done()).isEqualTo(3);
                assertThat(s.failures())
                        .singleElement()
                        .satisfies(f -> assertThat(f.key()).isEqualTo("002.nii"));
                assertThat(s.code()).isEqualTo(ExitCode.STEP_FAILED);
            });
        }
    }

    @Test
    @DisplayName("a runner that dies under several items: suspects one at a time, the innocent are not counted")
    void runnerLost() throws Exception {
        rig.inputs(3);
        maker.retryItem = 0;
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lost = new Failure("StepLost", "the runner of step increment died", 1, true, false, false, false);
            var leases = worker.lease(coordinator, 3);
            leases.forEach(l -> worker.state(l, "RUNNING"));
            worker.renew(coordinator);
            for (var lease : leases) {
                assertThat(worker.failed(coordinator, lease, lost, List.of()).again())
                        .as(lease.key())
                        .isTrue();
            }
            for (int i = 0; i < 3; i++) {
                var suspects = worker.lease(coordinator, 3);
                assertThat(suspects)
                        .singleElement()
                        .satisfies(l -> assertThat(l.alone()).isTrue());
                assertThat(worker.lease(coordinator, 3))
                        .as("nothing beside a suspect")
                        .isEmpty();
                var suspect = suspects.getFirst();
                worker.state(suspect, "RUNNING");
                worker.renew(coordinator);
                if (suspect.key().equals("001.nii")) {
                    assertThat(worker.failed(coordinator, suspect, lost, List.of())
                                    .again())
                            .isFalse();
                } else {
                    worker.carry(coordinator, suspect);
                }
            }
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.done()).isEqualTo(2);
                assertThat(s.failures())
                        .singleElement()
                        .satisfies(f -> assertThat(f.key()).isEqualTo("001.nii"));
            });
        }
    }

    @Test
    @DisplayName("a worker that dies again and again without an item done ends the job with 75")
    void workerDies() throws Exception {
        rig.inputs(50);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            for (int death = 1; death <= 4; death++) {
                var lease = worker.lease(coordinator, 1).getFirst();
                worker.state(lease, "RUNNING");
                worker.renew(coordinator);
                worker = worker.restartedEmpty();
                worker.register(coordinator);
            }
            assertThat(worker.leases(coordinator, 1).drained()).isTrue();
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.PASSING);
        }
    }

    @Test
    @DisplayName(
            "P10 two items publish one final name: the second commit is refused naming both, also after a restart; fails 74")
    void nameConflict() throws Exception {
        bucket.set("in/a/x.nii", "1");
        bucket.set("in/b/x.nii", "2");
        var coordinator = start(RunMode.RUN);
        var worker = worker(coordinator, "w0");
        var leases = worker.lease(coordinator, 2);
        var a = leases.get(0);
        var first = List.of(worker.output(a, "x.nii"));
        worker.stage(a, first);
        worker.commit(coordinator, a, true, first);
        worker.publish(first.getFirst());
        worker.done(coordinator, a, first);
        for (int round = 0; round < 2; round++) {
            var b = leases.get(1);
            var refusal = worker.commit(coordinator, b, true, List.of(worker.output(b, "x.nii")))
                    .refusal();
            assertThat(refusal.reason()).isEqualTo("NAME_CONFLICT");
            assertThat(refusal.message())
                    .contains("a/x.nii")
                    .contains("b/x.nii")
                    .contains("s3://bucket/out/x.nii");
            if (round == 0) {
                coordinator.close();
                coordinator = start(RunMode.CONTINUE);
                worker.renew(coordinator);
            }
        }
        worker.failed(
                coordinator,
                leases.get(1),
                new Failure("NameConflict", "...", 74, true, true, false, false),
                List.of(unexported("b/x.nii")));
        var summary = coordinator.await();
        coordinator.close();
        assertThat(summary.code()).isEqualTo(ExitCode.NOT_DURABLE);
        assertThat(summary.failedByReason()).containsOnlyKeys("NameConflict");
        assertThat(bucket.text("out/x.nii")).isEqualTo("output of a/x.nii by 1");
    }

    @Test
    @DisplayName("P10 two files of one item with one final name are refused too")
    void nameConflictWithin() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lease = worker.lease(coordinator, 1).getFirst();
            var one = worker.output(lease, "x");
            var other = new io.forebay.message.Messages.StagedOutput(
                    "other",
                    "deep/x",
                    one.finalUri(),
                    one.root(),
                    "TEMP",
                    ".fb-other",
                    List.of(),
                    1,
                    "00000000",
                    0644,
                    0,
                    null,
                    false);
            assertThat(worker.commit(coordinator, lease, true, List.of(one, other))
                            .refusal()
                            .reason())
                    .isEqualTo("NAME_CONFLICT");
            assertThat(worker.commit(coordinator, lease, true, List.of(one, one))
                            .refusal())
                    .isNull();
        }
    }

    @Test
    @DisplayName(
            "D4 40 items, the first one's output denied: 39 published, fails 74, 1 listed; count told = lines listed")
    void oneDenied() throws Exception {
        rig.inputs(40);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var denied = worker.lease(coordinator, 1).getFirst();
            assertThat(worker.failed(coordinator, denied, denied(), List.of(unexported(denied.key())))
                            .again())
                    .isFalse();
            assertThat(worker.carryAll(coordinator)).isEqualTo(39);
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.NOT_DURABLE);
                assertThat(s.done()).isEqualTo(39);
                assertThat(s.unexported()).isEqualTo(1);
                assertThat(s.unexportedBytes()).isEqualTo(100);
            });
        }
        assertThat(unexportedList().lines())
                .singleElement()
                .asString()
                .contains("\"path\":\"000.nii\"")
                .contains("/buffer/000.nii");
        // The same again: told, not run.
        try (var again = start(RunMode.CONTINUE)) {
            assertThat(again.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.NOT_DURABLE);
                assertThat(s.unexported()).isEqualTo(1);
            });
        }
        assertThat(unexportedList().lines()).hasSize(1);
    }

    @Test
    @DisplayName(
            "C7 resume after a failed flush: the worker's intact attempt goes on, nothing is run again, the list is gone")
    void resumeAfterFailedFlush() throws Exception {
        rig.inputs(2);
        FakeWorker worker;
        io.forebay.message.Messages.ItemLease kept;
        try (var coordinator = start(RunMode.RUN)) {
            worker = worker(coordinator, "w0");
            kept = worker.lease(coordinator, 1).getFirst();
            worker.failed(coordinator, kept, denied(), List.of(unexported(kept.key())));
            worker.carryAll(coordinator);
            assertThat(coordinator.await().unexported()).isEqualTo(1);
        }
        try (var coordinator = start(RunMode.RESUME)) {
            worker.holds.put(kept.item(), kept);
            worker.state(kept, "FLUSHING");
            assertThat(worker.register(coordinator).drop()).isEmpty();
            rig.pass(CoordinatorRig.LEASE.minusSeconds(1));
            worker.carry(coordinator, kept);
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.DURABLE);
                assertThat(s.unexported()).isZero();
            });
        }
        assertThat(unexportedList()).isNull();
        assertThat(bucket.text("out/000.nii")).endsWith(" by 1");
    }

    @Test
    @DisplayName(
            "resume tries failed items again; what nobody holds any more is run anew, and stays listed until it is done")
    void resumeWithoutBuffer() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lease = worker.lease(coordinator, 1).getFirst();
            var outputs = List.of(worker.output(lease, "000.nii"));
            worker.announce(coordinator, lease, outputs);
            worker.stage(lease, outputs);
            worker.failed(coordinator, lease, denied(), List.of(unexported(lease.key())));
            coordinator.await();
        }
        assertThat(bucket.stagedHandles()).as("kept for resume").hasSize(1);
        try (var coordinator = start(RunMode.RESUME)) {
            var worker = worker(coordinator, "w1");
            rig.pass(CoordinatorRig.LEASE);
            worker = worker(coordinator, "w1");
            coordinator.drain(DrainCause.INTERRUPTED, Duration.ZERO, true);
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.CANCELLED_BY_INTERRUPT);
                assertThat(s.unexported()).as("still not exported").isEqualTo(1);
            });
        }
        try (var coordinator = start(RunMode.RESUME)) {
            rig.pass(CoordinatorRig.LEASE);
            coordinator.tick();
            var worker = worker(coordinator, "w1");
            assertThat(worker.lease(coordinator, 1))
                    .singleElement()
                    .satisfies(l -> assertThat(l.attempt()).isEqualTo(2));
            worker.carry(coordinator, List.copyOf(worker.holds.values()).getFirst());
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
        }
        assertThat(bucket.stagedHandles()).isEmpty();
        assertThat(unexportedList()).isNull();
    }

    @Test
    @DisplayName(
            "D9 Continue: 2 of 10 fail, 8 published, fails 1, both named; Stop: nothing further starts after the first failure")
    void onItemFailure() throws Exception {
        rig.inputs(10);
        maker.retryItem = 0;
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            for (var lease : worker.lease(coordinator, 2)) {
                worker.failed(coordinator, lease, FakeWorker.stepFailed(), List.of());
            }
            worker.carryAll(coordinator);
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.STEP_FAILED);
                assertThat(s.done()).isEqualTo(8);
                assertThat(s.failures().stream().map(Summary.FailedItem::key)).containsExactly("000.nii", "001.nii");
            });
        }
        maker.name = "stops";
        maker.onItemFailure = io.forebay.api.job.Job.OnItemFailure.STOP;
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var leases = worker.lease(coordinator, 2);
            worker.failed(coordinator, leases.get(0), FakeWorker.stepFailed(), List.of());
            assertThat(worker.leases(coordinator, 5)).satisfies(l -> {
                assertThat(l.items()).isEmpty();
                assertThat(l.drained()).isTrue();
            });
            assertThat(worker.renew(coordinator).drain()).satisfies(d -> {
                assertThat(d.cause()).isEqualTo("STOPPED");
                assertThat(d.killSteps()).isFalse();
            });
            worker.carry(coordinator, leases.get(1));
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.STEP_FAILED);
                assertThat(s.done()).isEqualTo(1);
                assertThat(s.unfinished()).isEqualTo(8);
            });
        }
    }

    @Test
    @DisplayName("D10 a missing required output is Failed(MissingOutput) with 1; an item without outputs is Done")
    void missingOutput() throws Exception {
        rig.inputs(2);
        maker.retryItem = 0;
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var leases = worker.lease(coordinator, 2);
            worker.failed(
                    coordinator,
                    leases.get(0),
                    new Failure("MissingOutput", "no *.nii", 1, true, false, false, false),
                    List.of());
            worker.done(coordinator, leases.get(1), List.of());
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.STEP_FAILED);
                assertThat(s.failedByReason()).containsOnlyKeys("MissingOutput");
                assertThat(s.done()).isEqualTo(1);
            });
        }
    }

    @Test
    @DisplayName(
            "no false success: Done with outputs that were never granted is refused, a failed attempt's grant is no success")
    void noFalseSuccess() throws Exception {
        rig.inputs(2);
        maker.retryItem = 0;
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var leases = worker.lease(coordinator, 2);
            var never = worker.done(coordinator, leases.get(0), List.of(worker.output(leases.get(0), "x")));
            assertThat(never.fenced()).isTrue();
            var outputs = List.of(worker.output(leases.get(1), "log"));
            worker.stage(leases.get(1), outputs);
            worker.commit(coordinator, leases.get(1), false, outputs);
            worker.publish(outputs.getFirst());
            worker.done(coordinator, leases.get(1), outputs);
            assertThat(coordinator.progress().done()).isZero();
            assertThat(coordinator.progress().failed()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("answers get lost: each question asked again gets the same answer")
    void repeatedQuestions() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lease = worker.lease(coordinator, 1).getFirst();
            var outputs = List.of(worker.output(lease, "000.nii"));
            worker.announce(coordinator, lease, outputs);
            worker.announce(coordinator, lease, outputs);
            worker.stage(lease, outputs);
            assertThat(worker.commit(coordinator, lease, true, outputs).refusal())
                    .isNull();
            assertThat(worker.commit(coordinator, lease, true, outputs).refusal())
                    .isNull();
            assertThat(worker.commit(coordinator, lease, true, List.of(worker.output(lease, "other")))
                            .refusal()
                            .reason())
                    .isEqualTo("FENCED");
            worker.publish(outputs.getFirst());
            assertThat(worker.done(coordinator, lease, outputs).fenced()).isFalse();
            assertThat(worker.done(coordinator, lease, outputs))
                    .isEqualTo(new io.forebay.message.Messages.Ended(false, false));
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName(
            "what one worker has no room for goes to another; what none has room for is not run, and ends the run when all else has ended")
    void noRoom() throws Exception {
        rig.inputs(6);
        try (var coordinator = start(RunMode.RUN)) {
            var full = worker(coordinator, "full");
            var other = worker(coordinator, "other");
            for (var lease : full.lease(coordinator, 3)) {
                full.hasNoRoom(coordinator, lease);
            }
            for (var lease : full.lease(coordinator, 6)) {
                full.carry(coordinator, lease);
            }
            assertThat(full.leases(coordinator, 6)).satisfies(l -> {
                assertThat(l.items()).as("not again").isEmpty();
                assertThat(l.drained()).as("another one may have room").isFalse();
            });
            var given = other.lease(coordinator, 6);
            assertThat(given).hasSize(3);
            other.carry(coordinator, given.getFirst());
            other.hasNoRoom(coordinator, given.get(1));
            assertThat(full.leases(coordinator, 6).drained())
                    .as("one is still being carried")
                    .isFalse();
            other.hasNoRoom(coordinator, given.get(2));

            assertThat(full.leases(coordinator, 6).drained()).isTrue();

            assertThat(other.leases(coordinator, 6).drained()).isTrue();
            var summary = coordinator.await();
            assertThat(summary.code()).isEqualTo(ExitCode.PASSING);
            assertThat(summary.done()).isEqualTo(4);
            assertThat(summary.unfinished()).isEqualTo(2);
            assertThat(summary.notRun()).hasValueSatisfying(n -> {
                assertThat(n.items()).isEqualTo(2);
                assertThat(n.keys()).containsExactly("001.nii", "002.nii");
                assertThat(n.why()).isEqualTo("10 MiB are needed");
            });
        }
        try (var coordinator = start(RunMode.RESUME)) {
            var again = worker(coordinator, "full");
            rig.pass(CoordinatorRig.LEASE);
            assertThat(again.carryAll(coordinator)).isEqualTo(2);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
        }
    }

    @Test
    @DisplayName("C2 who has not registered with a new coordinator yet is told to, not fenced: its attempt goes on")
    void commitBeforeRegistration() throws Exception {
        rig.inputs(1);
        var first = start(RunMode.RUN);
        var worker = worker(first, "w0");
        var lease = worker.lease(first, 1).getFirst();
        var outputs = List.of(worker.output(lease, lease.key()));
        worker.announce(first, lease, outputs);
        worker.stage(lease, outputs);
        first.close();
        try (var second = start(RunMode.CONTINUE)) {
            assertThatThrownBy(() -> worker.commit(second, lease, true, outputs))
                    .isInstanceOf(LinkException.class)
                    .hasMessageContaining("has not registered");
            worker.register(second);
            assertThat(worker.commit(second, lease, true, outputs).refusal()).isNull();
            worker.publish(outputs.getFirst());
            worker.done(second, lease, outputs);
            assertThat(second.await().code()).isEqualTo(ExitCode.DURABLE);
            assertThat(bucket.text("out/" + lease.key())).endsWith(" by 1");
        }
    }

    @Test
    @DisplayName("progress sums up the traffic of all workers that ever were, and the buffers of those that are there")
    void sumsUp() throws Exception {
        rig.inputs(4);
        try (var coordinator = start(RunMode.RUN)) {
            var one = worker(coordinator, "one");
            var two = worker(coordinator, "two");
            one.counters = new WorkerCounters(100, 1, 10, 1, 0, 50, 1000, 60, null);
            two.counters = new WorkerCounters(200, 2, 20, 2, 3, 70, 2000, 80, null);
            one.renew(coordinator);
            two.renew(coordinator);
            assertThat(coordinator.progress())
                    .returns(300L, JobProgress::bytesStaged)
                    .returns(30L, JobProgress::bytesFlushed)
                    .returns(120L, JobProgress::bufferUsed)
                    .returns(3000L, JobProgress::bufferSize)
                    .returns(140L, JobProgress::dirtyBytes);
            two.leave(coordinator);
            assertThat(coordinator.progress())
                    .returns(300L, JobProgress::bytesStaged)
                    .returns(50L, JobProgress::bufferUsed);
        }
    }

    @Test
    @DisplayName(
            "for whom the end waits is known: who holds items while it drains, who has not heard of the end later, since when, until when")
    void awaited() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var one = worker(coordinator, "one");
            var two = worker(coordinator, "two");
            var lease = one.lease(coordinator, 1).getFirst();
            var began = now();
            assertThat(coordinator.awaited()).as("it runs").isEmpty();
            coordinator.drain(DrainCause.TERMINATED, Duration.ofSeconds(20), false);
            assertThat(coordinator.awaited())
                    .containsExactly(new AwaitedWorker("one", "node", 1, began, began.plusSeconds(25)));
            rig.pass(Duration.ofSeconds(3));
            one.carry(coordinator, lease);
            one.leave(coordinator);
            coordinator.await();
            assertThat(coordinator.awaited())
                    .containsExactly(new AwaitedWorker(
                            "two", "node", 0, began, began.plus(CoordinatorRig.LEASE.multipliedBy(2))));
            two.leave(coordinator);
            assertThat(coordinator.awaited()).isEmpty();
        }
    }

    private Instant now() {
        return rig.options(RunMode.RUN).clock().instant();
    }

    @Test
    @DisplayName("C2 one that steps down decides nothing more; its successor begins at once, and what was held goes on")
    void stepsDown() throws Exception {
        rig.inputs(2);
        var worker = rig.worker("one");
        List<io.forebay.message.Messages.ItemLease> leases;
        try (var first = start(RunMode.RUN)) {
            worker.register(first);
            leases = worker.lease(first, 2);
            worker.carry(first, leases.getFirst());
            first.stepDown();
            assertThatThrownBy(() -> worker.renew(first))
                    .isInstanceOf(LinkException.class)
                    .hasMessageContaining("stepped down");
            assertThat(first.await())
                    .returns(ExitCode.PASSING, Summary::code)
                    .returns(1L, Summary::done)
                    .returns(1L, Summary::unfinished);
            assertThat(first.hasSteppedDown()).isTrue();
        }
        long before = rig.nanos;
        try (var second = start(RunMode.CONTINUE)) {
            assertThat(rig.nanos).as("no lease was waited for").isEqualTo(before);
            worker.register(second);
            worker.carry(second, leases.getLast());
            assertThat(second.await()).returns(ExitCode.DURABLE, Summary::code).returns(2L, Summary::done);
            second.stepDown();
            assertThat(second.hasSteppedDown()).as("it has ended").isFalse();
        }
        assertThat(bucket.text("out/001.nii")).endsWith(" by 1");
    }

    @Test
    @DisplayName("what a worker holds when it leaves is given to others at once, and it is no longer waited for")
    void leaves() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var one = worker(coordinator, "one");
            one.lease(coordinator, 1);
            var two = worker(coordinator, "two");
            one.leave(coordinator);
            assertThat(coordinator.progress().workers()).isEqualTo(1);
            two.carryAll(coordinator);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
            assertThat(coordinator.expectsWorkers()).isTrue();
            two.leave(coordinator);
            assertThat(coordinator.expectsWorkers()).isFalse();
        }
    }

    @Test
    @DisplayName(
            "R2 a process whose place another one has taken is waited for until it has heard that nothing is left for it, one lease at most")
    void waitsForTheDisplaced() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var first = worker(coordinator, "one");
            first.lease(coordinator, 1);
            var second = first.restartedEmpty();
            second.register(coordinator);
            second.carryAll(coordinator);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
            second.leave(coordinator);
            assertThat(coordinator.expectsWorkers()).as("the first may live").isTrue();
            assertThat(first.leases(coordinator, 1).drained()).isTrue();
            assertThat(coordinator.expectsWorkers()).isFalse();
        }
    }

    @Test
    @DisplayName("R2 a process that was killed and started again is not waited for longer than its lease")
    void theDisplacedIsDead() throws Exception {
        rig.inputs(1);
        try (var coordinator = start(RunMode.RUN)) {
            var second = worker(coordinator, "one").restartedEmpty();
            second.register(coordinator);
            second.carryAll(coordinator);
            coordinator.await();
            second.leave(coordinator);
            rig.pass(CoordinatorRig.LEASE);
            assertThat(coordinator.expectsWorkers()).isFalse();
        }
    }

    @Test
    @DisplayName(
            "C2 a coordinator that finds all done waits one lease for workers that have not heard so; two for one that was cut off")
    void waitsForTheUninformed() throws Exception {
        rig.inputs(1);
        var first = start(RunMode.RUN);
        worker(first, "w0").carryAll(first);
        first.close();
        try (var second = start(RunMode.CONTINUE)) {
            assertThat(second.await().code()).isEqualTo(ExitCode.DURABLE);
            assertThat(second.expectsWorkers()).as("w0 has not heard of it").isTrue();
            var silent = worker(second, "w0");
            rig.pass(CoordinatorRig.LEASE);
            second.tick();
            assertThat(second.progress().workers()).isZero();
            assertThat(second.expectsWorkers()).as("it may have been cut off").isTrue();
            rig.pass(CoordinatorRig.LEASE);
            assertThat(second.expectsWorkers()).isFalse();
            assertThat(silent.holds).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "C2 what a worker stopped by the order of a coordinator that was killed since is run again under its successor, uncounted")
    void orderOfTheDead() throws Exception {
        rig.inputs(1);
        maker.retryItem = 0;
        var cancelled = new Failure("Cancelled", "the job was cancelled", 130, false, true, false, false);
        var worker = rig.worker("w0");
        var first = start(RunMode.RUN);
        worker.register(first);
        var lease = worker.lease(first, 1).getFirst();
        first.drain(DrainCause.TERMINATED, Duration.ofSeconds(20), true);
        assertThat(worker.renew(first).drain()).isNotNull();
        first.close();
        try (var second = start(RunMode.CONTINUE)) {
            worker.register(second);
            assertThat(worker.failed(second, lease, cancelled, List.of()).again())
                    .isTrue();
            rig.pass(CoordinatorRig.LEASE);
            worker.register(second);
            assertThat(worker.carryAll(second)).isEqualTo(1);
            assertThat(second.await()).returns(ExitCode.DURABLE, Summary::code).returns(1L, Summary::done);
        }
    }

    @Test
    @DisplayName(
            "what workers stop of a job that is cancelled is not run again, and it is told again with the same code")
    void orderOfTheLiving() throws Exception {
        rig.inputs(1);
        var cancelled = new Failure("Cancelled", "the job was cancelled", 130, false, true, false, false);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lease = worker.lease(coordinator, 1).getFirst();
            coordinator.drain(DrainCause.TERMINATED, Duration.ofSeconds(20), true);
            assertThat(worker.failed(coordinator, lease, cancelled, List.of()).again())
                    .isFalse();
            assertThat(coordinator.await()).returns(ExitCode.CANCELLED_BY_TERM, Summary::code);
        }
        try (var coordinator = start(RunMode.CONTINUE)) {
            assertThat(coordinator.await()).returns(ExitCode.CANCELLED_BY_TERM, Summary::code);
        }
    }

    @Test
    @DisplayName("a run that has ended is only told again: workers are sent home, whatever they hold")
    void toldAgain() throws Exception {
        rig.inputs(2);
        try (var first = start(RunMode.RUN)) {
            first.drain(DrainCause.TERMINATED, Duration.ZERO, true);
            rig.pass(Duration.ofSeconds(10));
            assertThat(first.await().code()).isEqualTo(ExitCode.CANCELLED_BY_TERM);
        }
        try (var second = start(RunMode.CONTINUE)) {
            var worker = worker(second, "w0");
            rig.pass(CoordinatorRig.LEASE);
            worker.register(second);
            assertThat(worker.leases(second, 2)).satisfies(l -> {
                assertThat(l.items()).isEmpty();
                assertThat(l.drained()).isTrue();
            });
            assertThat(second.await().code()).isEqualTo(ExitCode.CANCELLED_BY_TERM);
        }
    }

    @Test
    @DisplayName("a worker may leave when nothing is left to lease and at least workers.min others remain")
    void leaving() throws Exception {
        rig.inputs(2);
        try (var coordinator = start(RunMode.RUN)) {
            var one = worker(coordinator, "one");
            var two = worker(coordinator, "two");
            var lease = one.lease(coordinator, 2).getFirst();
            one.state(lease, "RUNNING");
            one.holds.values().forEach(l -> one.state(l, "RUNNING"));
            one.renew(coordinator);
            assertThat(two.leases(coordinator, 1).drained()).as("one stays").isTrue();
            assertThat(one.leases(coordinator, 1).drained())
                    .as("the last one stays")
                    .isFalse();
        }
    }

    @Test
    @DisplayName("a deadline drains: steps are killed, unfinished items make 124")
    void deadline() throws Exception {
        rig.inputs(3);
        maker.runDeadline = java.util.Optional.of(Duration.ofMinutes(1));
        var first = start(RunMode.RUN);
        var worker = worker(first, "w0");
        worker.carry(first, worker.lease(first, 1).getFirst());
        rig.pass(Duration.ofSeconds(20));
        first.close();
        try (var coordinator = start(RunMode.CONTINUE)) {
            worker.renew(coordinator);
            rig.pass(Duration.ofSeconds(45));
            coordinator.tick();
            worker.register(coordinator);
            assertThat(worker.renew(coordinator).drain()).satisfies(d -> {
                assertThat(d.cause()).isEqualTo("DEADLINE");
                assertThat(d.killSteps()).isTrue();
            });
            assertThat(worker.leases(coordinator, 1).drained()).isTrue();
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.DEADLINE);
                assertThat(s.unfinished()).isEqualTo(2);
            });
        }
    }

    @Test
    @DisplayName("what can never succeed ends the job at once with its own code")
    void fatal() throws Exception {
        rig.inputs(5);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lease = worker.lease(coordinator, 1).getFirst();
            worker.failed(
                    coordinator, lease, new Failure("Flush", "no such bucket", 74, true, true, true, false), List.of());
            assertThat(worker.leases(coordinator, 1).drained()).isTrue();
            assertThat(coordinator.await()).satisfies(s -> {
                assertThat(s.code()).isEqualTo(ExitCode.NOT_DURABLE);
                assertThat(s.cause()).isEqualTo("no such bucket");
            });
        }
    }

    @Test
    @DisplayName("an item that outgrew its tier is leased for the next one, not counted")
    void movesDown() throws Exception {
        rig.inputs(1);
        maker.retryItem = 0;
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            var lease = worker.lease(coordinator, 1).getFirst();
            assertThat(lease.avoidTier()).isZero();
            worker.failed(
                    coordinator, lease, new Failure("BufferFull", "full", 1, false, false, false, true), List.of());
            assertThat(worker.lease(coordinator, 1))
                    .singleElement()
                    .satisfies(l -> assertThat(l.avoidTier()).isEqualTo(1));
        }
    }

    @Test
    @DisplayName("items given back by a draining worker are leased again, uncounted")
    void released() throws Exception {
        rig.inputs(2);
        try (var coordinator = start(RunMode.RUN)) {
            var worker = worker(coordinator, "w0");
            for (var lease : worker.lease(coordinator, 2)) {
                worker.release(coordinator, lease);
            }
            var other = worker(coordinator, "w1");
            assertThat(other.carryAll(coordinator)).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("R4 a second job of that name is refused with 64")
    void secondJob() throws Exception {
        rig.inputs(1);
        var me = ProcessIdentity.ofThisProcess();
        try (var coordinator = rig.start(maker.job(), rig.options(RunMode.RUN, false, me))) {
            assertThatThrownBy(() -> Coordinator.open(maker.job(), rig.stores(), rig.options(RunMode.RUN, false, me)))
                    .isInstanceOfSatisfying(CoordinatorException.class, e -> {
                        assertThat(e.code()).isEqualTo(ExitCode.REFUSED);
                        assertThat(e.reason()).isEqualTo("JobRuns");
                        assertThat(e).hasMessageContaining("pid " + me.pid());
                    });
            assertThat(coordinator.generation()).isEqualTo(1);
        }
    }
}
