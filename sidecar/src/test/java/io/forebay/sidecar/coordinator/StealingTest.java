package io.forebay.sidecar.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.Timing;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.testing.CoordinatorRig;
import io.forebay.testing.CoordinatorRig.JobMaker;
import io.forebay.testing.FakeWorker;
import io.forebay.testing.RecordsMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a worker that has nothing to do gets of what others have not begun. */
class StealingTest {
    @TempDir
    Path scratch;

    private final RecordsMemoryStore bucket = new RecordsMemoryStore();
    private final JobMaker maker = new JobMaker();
    private CoordinatorRig rig;

    @BeforeEach
    void rig() {
        rig = new CoordinatorRig(bucket, scratch);
    }

    private Coordinator start(RunMode mode) throws Exception {
        return rig.start(maker.job(), mode);
    }

    private FakeWorker worker(Coordinator coordinator, String name) throws Exception {
        var worker = rig.worker(name);
        worker.register(coordinator);
        return worker;
    }

    private static void inState(FakeWorker worker, List<ItemLease> leases, String state) {
        leases.forEach(l -> worker.state(l, state));
    }

    @Test
    @DisplayName(
            "L5 stealing: what a slow worker has not begun is given to an idle one, never before it has given it back")
    void stealing() throws Exception {
        rig.inputs(6);
        try (var coordinator = start(RunMode.RUN)) {
            var slow = worker(coordinator, "slow");
            var fast = worker(coordinator, "fast");
            var leases = slow.lease(coordinator, 6);
            slow.state(leases.getFirst(), "RUNNING");
            slow.renew(coordinator);
            assertThat(fast.leases(coordinator, 2)).satisfies(l -> {
                assertThat(l.items()).isEmpty();
                assertThat(l.drained()).isFalse();
            });
            var answer = slow.renew(coordinator);
            assertThat(answer.cancel()).isEmpty();
            var recalled = answer.recall();
            assertThat(recalled).hasSize(2).doesNotContain(leases.getFirst().item());
            assertThat(fast.lease(coordinator, 2))
                    .as("it has not been given back yet")
                    .isEmpty();
            for (var item : recalled) {
                slow.release(coordinator, slow.holds.get(item));
            }
            assertThat(fast.lease(coordinator, 2).stream().map(l -> l.item()))
                    .containsExactlyInAnyOrderElementsOf(recalled);
            fast.carryAll(coordinator);
            for (var lease : List.copyOf(fast.holds.values())) {
                fast.carry(coordinator, lease);
            }
            for (var lease : List.copyOf(slow.holds.values())) {
                slow.carry(coordinator, lease);
            }
            assertThat(coordinator.await().done()).isEqualTo(6);
        }
    }

    @Test
    @DisplayName("L5 what was recalled and begins all the same stays where it is")
    void recalledTooLate() throws Exception {
        rig.inputs(4);
        try (var coordinator = start(RunMode.RUN)) {
            var slow = worker(coordinator, "slow");
            var fast = worker(coordinator, "fast");
            slow.lease(coordinator, 4);
            slow.renew(coordinator);
            fast.lease(coordinator, 2);
            assertThat(slow.renew(coordinator).recall()).isNotEmpty();
            slow.holds.values().forEach(l -> slow.state(l, "RUNNING"));
            assertThat(slow.renew(coordinator).recall()).isEmpty();
            assertThat(fast.lease(coordinator, 2)).isEmpty();
            for (var lease : List.copyOf(slow.holds.values())) {
                slow.carry(coordinator, lease);
            }
            assertThat(coordinator.await().done()).isEqualTo(4);
        }
    }

    @Test
    @DisplayName(
            "L5 a lease that is on its way to its worker is not given to another, though the worker does not name it yet")
    void recalledOnItsWay() throws Exception {
        rig.inputs(4);
        try (var coordinator = start(RunMode.RUN)) {
            var slow = worker(coordinator, "slow");
            var fast = worker(coordinator, "fast");
            slow.lease(coordinator, 4);
            assertThat(fast.lease(coordinator, 2)).isEmpty();
            slow.renewAsIfEmpty(coordinator);
            assertThat(fast.lease(coordinator, 2)).as("all are slow's").isEmpty();
            for (var lease : List.copyOf(slow.holds.values())) {
                slow.carry(coordinator, lease);
            }
            assertThat(coordinator.await().done()).isEqualTo(4);
            assertThat(bucket.text("out/000.nii")).endsWith(" by 1");
        }
    }

    @Test
    @DisplayName("L5 R8 what was given back for a worker that waits is its own, though the one that gave it asks first")
    void asksFirst() throws Exception {
        rig.inputs(12);
        try (var coordinator = start(RunMode.RUN)) {
            var first = worker(coordinator, "first");
            var leases = first.lease(coordinator, 36);
            assertThat(leases).hasSize(12);
            inState(first, leases.subList(0, 2), "RUNNING");
            inState(first, leases.subList(2, 12), "READY");
            first.renew(coordinator);
            var late = worker(coordinator, "late");
            assertThat(late.lease(coordinator, 36)).isEmpty();
            first.renewObediently(coordinator);

            assertThat(first.lease(coordinator, 36))
                    .as("another one waits for it")
                    .isEmpty();
            assertThat(late.lease(coordinator, 36))
                    .as("half of what was not begun")
                    .hasSize(5);
            assertThat(late.lease(coordinator, 36)).as("it has enough").isEmpty();
            assertThat(first.renew(coordinator).recall()).isEmpty();
        }
    }

    @Test
    @DisplayName("L5 one that stopped asking is not waited for: what came back is leased to whoever asks")
    void waitedAndDied() throws Exception {
        rig.inputs(12);
        try (var coordinator = start(RunMode.RUN)) {
            var first = worker(coordinator, "first");
            first.lease(coordinator, 36);
            first.renew(coordinator);
            worker(coordinator, "late").lease(coordinator, 36);
            first.renewObediently(coordinator);
            rig.pass(CoordinatorRig.LEASE.dividedBy(2));

            assertThat(first.lease(coordinator, 36)).hasSize(5);
        }
    }

    @Test
    @DisplayName("L5 several that wait share what comes back")
    void severalWait() throws Exception {
        rig.inputs(11);
        try (var coordinator = start(RunMode.RUN)) {
            var first = worker(coordinator, "first");
            first.lease(coordinator, 36);
            first.renew(coordinator);
            var b = worker(coordinator, "b");
            var c = worker(coordinator, "c");
            b.lease(coordinator, 36);
            c.lease(coordinator, 36);
            first.renewObediently(coordinator);

            assertThat(b.lease(coordinator, 36)).hasSize(4);
            assertThat(c.lease(coordinator, 36)).hasSize(3);
        }
    }

    @Test
    @DisplayName(
            "L5 the odd item does not go to one whose slots are busy, nor what free slots begin at once to anybody")
    void littleToGain() throws Exception {
        rig.inputs(5);
        try (var coordinator = start(RunMode.RUN)) {
            var a = worker(coordinator, "a");
            var ofA = a.lease(coordinator, 3);
            var b = worker(coordinator, "b");
            var ofB = b.lease(coordinator, 2);
            inState(a, ofA.subList(0, 2), "RUNNING");
            inState(b, ofB, "RUNNING");
            a.renew(coordinator);
            b.renew(coordinator);
            assertThat(b.lease(coordinator, 36)).isEmpty();
            assertThat(a.renew(coordinator).recall()).as("both are busy").isEmpty();
            a.carry(coordinator, ofA.getFirst());
            b.carry(coordinator, ofB.getFirst());
            assertThat(b.lease(coordinator, 36)).isEmpty();
            assertThat(a.renew(coordinator).recall()).as("its own slot is free").isEmpty();
        }
    }

    @Test
    @DisplayName(
            "L5 what is staged stays where its turn comes sooner than another worker could stage it, but not behind a slow item")
    void stagedStays() throws Exception {
        rig.inputs(8);
        try (var coordinator = start(RunMode.RUN)) {
            var a = worker(coordinator, "a");
            a.timing = new Timing(0, 20_000, 0, 1_000, 0, 0);
            var leases = a.lease(coordinator, 36);
            inState(a, leases.subList(1, 8), "READY");
            a.carry(coordinator, leases.getFirst());
            inState(a, leases.subList(1, 3), "RUNNING");
            a.renew(coordinator);
            var b = worker(coordinator, "b");
            assertThat(b.leases(coordinator, 36).drained()).isFalse();
            assertThat(a.renew(coordinator).recall())
                    .as("they take a second each")
                    .isEmpty();

            rig.pass(Duration.ofSeconds(26));
            a.renew(coordinator);
            b.renew(coordinator);
            assertThat(b.leases(coordinator, 36).drained()).isFalse();
            assertThat(a.renew(coordinator).recall())
                    .as("two of them do not end")
                    .hasSize(3);
        }
    }
}
