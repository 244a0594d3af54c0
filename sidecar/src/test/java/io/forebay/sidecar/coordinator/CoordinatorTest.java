package io.forebay.sidecar.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.testing.CoordinatorRig;
import io.forebay.testing.CoordinatorRig.JobMaker;
import io.forebay.testing.RecordsMemoryStore;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoordinatorTest {
    @TempDir
    Path scratch;

    private final RecordsMemoryStore bucket = new RecordsMemoryStore();
    private CoordinatorRig rig;

    @org.junit.jupiter.api.BeforeEach
    void rig() {
        rig = new CoordinatorRig(bucket, scratch);
    }

    @Test
    @DisplayName("a job of 25 items is planned, leased, committed and ends with 0")
    void happyPath() throws Exception {
        rig.inputs(25);
        try (var coordinator = rig.start(new JobMaker().job(), RunMode.RUN)) {
            var worker = rig.worker("w0");
            worker.register(coordinator);
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
    @DisplayName("C7 a finished job run again: 0 items, exit 0")
    void runAgain() throws Exception {
        rig.inputs(5);
        try (var coordinator = rig.start(new JobMaker().job(), RunMode.RUN)) {
            var worker = rig.worker("w0");
            worker.register(coordinator);
            worker.carryAll(coordinator);
            coordinator.await();
        }
        for (var mode : new RunMode[] {RunMode.RUN, RunMode.RESUME, RunMode.CONTINUE}) {
            try (var coordinator = rig.start(new JobMaker().job(), mode)) {
                var worker = rig.worker("w1");
                worker.register(coordinator);
                assertThat(worker.carryAll(coordinator)).as(mode.name()).isZero();
                var summary = coordinator.await();
                assertThat(summary.code()).isEqualTo(ExitCode.DURABLE);
                assertThat(summary.done()).isEqualTo(5);
            }
        }
    }
}
