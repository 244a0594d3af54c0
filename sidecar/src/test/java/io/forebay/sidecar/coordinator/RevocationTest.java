package io.forebay.sidecar.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.coordinator.JobRecords.Recorded;
import io.forebay.sidecar.coordinator.JobRecords.Standing;
import io.forebay.sidecar.coordinator.Revocation.Damaged;
import io.forebay.sidecar.coordinator.Revocation.Outcome;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.testing.CoordinatorRig;
import io.forebay.testing.CoordinatorRig.JobMaker;
import io.forebay.testing.RecordsMemoryStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Completion records that are taken back: what counts, and for whom. */
class RevocationTest {
    @TempDir
    Path scratch;

    private final RecordsMemoryStore bucket = new RecordsMemoryStore();
    private final JobMaker maker = new JobMaker();
    private CoordinatorRig rig;

    @BeforeEach
    void finishedJob() throws Exception {
        rig = new CoordinatorRig(bucket, scratch);
        rig.inputs(3);
        assertThat(run(RunMode.RUN)).isEqualTo(3);
    }

    @AfterEach
    void leavesNoScratch() {
        assertThat(scratch).isEmptyDirectory();
    }

    /** @return how many items it did */
    private int run(RunMode mode) throws Exception {
        try (var coordinator = rig.start(maker.job(), mode)) {
            var worker = rig.worker("w-" + coordinator.generation());
            worker.register(coordinator);
            rig.pass(CoordinatorRig.LEASE);
            int carried = worker.carryAll(coordinator);
            assertThat(coordinator.await().code()).isEqualTo(ExitCode.DURABLE);
            return carried;
        }
    }

    private List<Recorded> recorded() throws Exception {
        var all = new ArrayList<Recorded>();
        JobRecords.of(maker.records, maker.name, rig.stores(), scratch).recorded(new JobRecords.Sink() {
            @Override
            public void accept(Recorded record) {
                all.add(record);
            }

            @Override
            public void former(String key, io.forebay.message.Messages.StagedOutput output) {
                throw new AssertionError("left over: " + output.finalUri());
            }
        });
        return all;
    }

    private Outcome revoke(Recorded... records) throws Exception {
        try (var revocation = new Revocation(scratch)) {
            for (var r : records) {
                revocation.add(new Damaged(r.id(), r.key(), r.generation(), r.attempt(), "gone"));
            }
            return revocation.carryOut(maker.job(), rig.stores(), rig.options(RunMode.RESUME));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RunMode.class,
            names = {"RUN", "RESUME", "CONTINUE"})
    @DisplayName(
            "D6 the next run does the items again whose records were taken back, whatever its kind, also one that would only be told again")
    void doneAgain(RunMode mode) throws Exception {
        var first = recorded().getFirst();
        assertThat(revoke(first, first)).as("named twice, it is one item").isEqualTo(new Outcome(1, 0));
        assertThat(recorded()).filteredOn(r -> r.standing() == Standing.REVOKED).hasSize(1);

        assertThat(run(mode)).isEqualTo(1);

        assertThat(recorded()).hasSize(3).allMatch(r -> r.standing() == Standing.COMPLETE);
        assertThat(run(mode)).as("and no more than once").isZero();
    }

    @Test
    @DisplayName(
            "D6 a record that is not the newest any more is not taken back: the item has been done again since somebody looked")
    void outOfDate() throws Exception {
        var first = recorded().getFirst();
        revoke(first);
        run(RunMode.RESUME);
        assertThat(revoke(first)).isEqualTo(new Outcome(0, 0));
        assertThat(run(RunMode.RESUME)).isZero();
    }

    @Test
    @DisplayName("D6 an item that the job's last plan does not have is counted, and nothing is written")
    void stranger() throws Exception {
        var first = recorded().getFirst();
        var stranger = new Recorded("x", "0".repeat(32), 0, 1, Standing.COMPLETE, List.of());
        assertThat(revoke(stranger)).isEqualTo(new Outcome(0, 1));
        assertThat(recorded()).contains(first).allMatch(r -> r.standing() == Standing.COMPLETE);
    }
}
