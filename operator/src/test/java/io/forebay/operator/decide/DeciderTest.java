package io.forebay.operator.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.forebay.api.v1alpha1.Phase;
import io.forebay.api.v1alpha1.PipelineJobStatus;
import io.forebay.message.JobProgress;
import io.forebay.operator.Manifests;
import io.forebay.operator.children.CarriedJob;
import io.forebay.operator.children.Children;
import io.forebay.operator.children.JobTokens;
import io.forebay.operator.children.SidecarImage;
import io.forebay.operator.observe.CoordinatorClient.Answer;
import io.forebay.operator.observe.Observed;
import io.forebay.operator.observe.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DeciderTest {
    static final Instant NOW = Instant.parse("2026-12-01T10:00:00Z");
    private final Children children =
            new Children(new SidecarImage("i", "Never", List.of()), new JobTokens(new byte[16]), 600);

    private Decision decide(CarriedJob job, PipelineJobStatus last, Observed there) {
        return new Decider(job, last, there, 1, NOW, Duration.ofSeconds(2)).decide();
    }

    private static Observed there(List<Job> jobs, List<Pod> pods, Answer answer) {
        return new Observed(jobs, pods, Optional.ofNullable(answer), Optional.empty());
    }

    private static Answer word(String phase, long items, long done) {
        return new Answer.Word(new JobProgress(
                phase,
                1,
                items,
                done,
                0,
                0,
                1,
                0,
                100,
                10,
                50,
                5,
                20,
                2,
                0,
                0,
                0,
                0,
                1,
                0,
                0,
                0,
                "note",
                0,
                "r",
                List.of("one"),
                new JobProgress.Rates(10, 20, 1.5),
                null));
    }

    private Job coordinator(CarriedJob job, int generation) {
        return new JobBuilder(children.coordinator(job, generation))
                .editMetadata()
                .withUid("c" + generation)
                .endMetadata()
                .build();
    }

    private Job workers(CarriedJob job, int pods) {
        return new JobBuilder(children.workers(job, pods))
                .editMetadata()
                .withUid("w")
                .endMetadata()
                .build();
    }

    private static Job ended(Job job, String condition) {
        return new JobBuilder(job)
                .withNewStatus()
                .addNewCondition()
                .withType(condition)
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }

    private static PodBuilder pod(Job of, String phase) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("p")
                .addNewOwnerReference()
                .withUid(of.getMetadata().getUid())
                .endOwnerReference()
                .endMetadata()
                .withNewStatus()
                .withPhase(phase)
                .endStatus();
    }

    private static Pod terminated(Job of, int code, String message) {
        return pod(of, code == 0 ? "Succeeded" : "Failed")
                .editStatus()
                .addNewContainerStatus()
                .withName("coordinator")
                .withNewState()
                .withNewTerminated()
                .withExitCode(code)
                .withMessage(message)
                .withFinishedAt("2026-12-01T09:59:00Z")
                .endTerminated()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build();
    }

    @Test
    @DisplayName("A new job gets Secret, Service and coordinator, and no workers before it is planned")
    void fresh() {
        var job = Manifests.job();
        var d = decide(job, null, there(List.of(), List.of(), null));
        assertThat(d.moves()).containsExactly(new Move.EnsureCommon(), new Move.CreateCoordinator(1));
        assertThat(d.status().phase()).isEqualTo(Phase.PENDING);

        var c = coordinator(job, 1);
        var planning = decide(
                job, d.status(), there(List.of(c), List.of(pod(c, "Running").build()), word("Planning", 0, 0)));
        assertThat(planning.moves()).isEmpty();
        assertThat(planning.status().phase()).isEqualTo(Phase.PLANNING);
        assertThat(planning.again()).isPresent();
    }

    @Test
    @DisplayName("Workers: as many pods as the items need, at most max; none where nothing is open")
    void workerCount() {
        var job = Manifests.job(); // 3 slots, max 4
        var c = coordinator(job, 1);
        assertThat(decide(job, null, there(List.of(c), List.of(), word("Running", 7, 0)))
                        .moves())
                .containsExactly(new Move.CreateWorkers(3));
        assertThat(decide(job, null, there(List.of(c), List.of(), word("Running", 700, 0)))
                        .moves())
                .containsExactly(new Move.CreateWorkers(4));
        assertThat(decide(job, null, there(List.of(c), List.of(), word("Running", 700, 699)))
                        .moves())
                .containsExactly(new Move.CreateWorkers(1));
        assertThat(decide(job, null, there(List.of(c), List.of(), word("Running", 7, 7)))
                        .moves())
                .isEmpty();
        assertThat(decide(job, null, there(List.of(c, workers(job, 3)), List.of(), word("Running", 7, 6)))
                        .moves())
                .isEmpty();
    }

    @Test
    @DisplayName("Succeeded only by the coordinator's exit code 0; then the workers are removed")
    void success() {
        var job = Manifests.job();
        var c = ended(coordinator(job, 1), "Complete");
        var message =
                "{\"exitCode\":0,\"phase\":\"Succeeded\",\"reason\":\"Durable\",\"message\":\"8 of 8\",\"items\":{\"total\":8,\"done\":8,\"failed\":0},\"unexported\":0}";
        var d = decide(job, null, there(List.of(c, workers(job, 3)), List.of(terminated(c, 0, message)), null));
        assertThat(d.status().phase()).isEqualTo(Phase.SUCCEEDED);
        assertThat(d.status().exitCode()).isZero();
        assertThat(d.status().items().done()).isEqualTo(8);
        assertThat(d.status().completionTime()).isEqualTo("2026-12-01T09:59:00Z");
        assertThat(d.moves()).containsExactly(new Move.DeleteJob(job.names().workers()));
        assertThat(d.status().conditions())
                .anyMatch(x -> x.type().equals("Succeeded") && x.status().equals("True"));

        var again = decide(job, d.status(), there(List.of(c), List.of(), null));
        assertThat(again.status()).isEqualTo(d.status());
        assertThat(again.moves()).isEmpty();
    }

    @Test
    @DisplayName(
            "A failure keeps the code, the reason and the message; an unreadable message does not change the verdict")
    void failure() {
        var job = Manifests.job();
        var c = ended(coordinator(job, 1), "Failed");
        var d = decide(job, null, there(List.of(c), List.of(terminated(c, 74, "{cut")), null));
        assertThat(d.status().phase()).isEqualTo(Phase.FAILED);
        assertThat(d.status().exitCode()).isEqualTo(74);
        assertThat(d.status().reason()).isEqualTo("NotDurable");
        assertThat(d.status().message()).isEqualTo("{cut");
        var silent = decide(job, null, there(List.of(c), List.of(terminated(c, 74, null)), null));
        assertThat(silent.status().message()).contains("UNEXPORTED");
    }

    @Test
    @DisplayName("A completed coordinator whose pods are gone is no success: another one is asked")
    void endUnknown() {
        var job = Manifests.job();
        var d = decide(job, null, there(List.of(ended(coordinator(job, 1), "Complete")), List.of(), null));
        assertThat(d.status().phase()).isEqualTo(Phase.RUNNING);
        assertThat(d.moves()).contains(new Move.CreateCoordinator(2));
        var next = decide(
                job,
                d.status(),
                there(List.of(ended(coordinator(job, 1), "Complete"), coordinator(job, 2)), List.of(), null));
        assertThat(next.moves()).isEmpty();
    }

    @Test
    @DisplayName("A coordinator that stays Terminating beyond its grace and 30 s is replaced by the next generation")
    void lost() {
        var job = Manifests.job();
        var c = coordinator(job, 3);
        var terminating = pod(c, "Running")
                .editMetadata()
                .withDeletionTimestamp("2026-12-01T09:59:40Z")
                .endMetadata()
                .build();
        assertThat(decide(job, null, there(List.of(c), List.of(terminating), null))
                        .moves())
                .isEmpty();
        var gone = pod(c, "Running")
                .editMetadata()
                .withDeletionTimestamp("2026-12-01T09:59:20Z")
                .endMetadata()
                .build();
        assertThat(decide(job, null, there(List.of(c), List.of(gone), null)).moves())
                .containsExactly(
                        new Move.DeleteJob(job.names().coordinator(3)),
                        new Move.EnsureCommon(),
                        new Move.CreateCoordinator(4));
    }

    @Test
    @DisplayName("suspend: workers are stopped before the coordinator through which they publish; unset it goes on")
    void suspend() {
        var job = Manifests.job("  suspend: true");
        var c = coordinator(job, 1);
        var w = workers(Manifests.job(), 2);
        var running = pod(w, "Running").build();
        var first = decide(job, null, there(List.of(c, w), List.of(running), null));
        assertThat(first.moves())
                .containsExactly(new Move.SetSuspend(job.names().workers(), true));
        assertThat(first.status().phase()).isEqualTo(Phase.DRAINING);

        var held = new JobBuilder(w).editSpec().withSuspend(true).endSpec().build();
        var second = decide(job, first.status(), there(List.of(c, held), List.of(), null));
        assertThat(second.moves())
                .containsExactly(new Move.SetSuspend(job.names().coordinator(1), true));

        var heldC = new JobBuilder(c).editSpec().withSuspend(true).endSpec().build();
        var third = decide(job, second.status(), there(List.of(heldC, held), List.of(), null));
        assertThat(third.status().phase()).isEqualTo(Phase.SUSPENDED);
        assertThat(third.moves()).isEmpty();

        var on = decide(Manifests.job(), third.status(), there(List.of(heldC, held), List.of(), null));
        assertThat(on.moves())
                .containsExactly(
                        new Move.SetSuspend(job.names().coordinator(1), false),
                        new Move.SetSuspend(job.names().workers(), false));

        assertThat(decide(job, null, there(List.of(), List.of(), null)).status().phase())
                .isEqualTo(Phase.SUSPENDED);
    }

    @Test
    @DisplayName("A new spec.run runs an ended job again, once nothing of the run before is there")
    void again() {
        var job = Manifests.job();
        var c = ended(coordinator(job, 1), "Complete");
        var end = decide(job, null, there(List.of(c), List.of(terminated(c, 0, null)), null))
                .status();
        var second = Manifests.job("  run: '2'");
        var clearing = decide(second, end, there(List.of(c), List.of(), null));
        assertThat(clearing.moves())
                .containsExactly(new Move.DeleteJob(job.names().coordinator(1)));
        var starts = decide(second, clearing.status(), there(List.of(), List.of(), null));
        assertThat(starts.moves()).contains(new Move.CreateCoordinator(1));
        assertThat(starts.status().run()).isEqualTo("2");
        assertThat(starts.status().exitCode()).isNull();
    }

    @Test
    @DisplayName("ttlSecondsAfterFinished: the object goes when it has passed, not before")
    void ttl() {
        var job = Manifests.job("  ttlSecondsAfterFinished: 120");
        var c = ended(coordinator(job, 1), "Complete");
        var end = decide(job, null, there(List.of(c), List.of(terminated(c, 0, null)), null))
                .status();
        assertThat(decide(job, end, there(List.of(c), List.of(), null)).moves()).isEmpty();
        var later = new Decider(
                        job, end, there(List.of(c), List.of(), null), 1, NOW.plusSeconds(61), Duration.ofSeconds(2))
                .decide();
        assertThat(later.moves()).containsExactly(new Move.DeleteOwner());
    }

    @Test
    @DisplayName("What keeps pods from starting is a condition, and goes with its cause")
    void trouble() {
        var job = Manifests.job();
        var c = coordinator(job, 1);
        var d = decide(
                job,
                null,
                new Observed(
                        List.of(c),
                        List.of(),
                        Optional.empty(),
                        Optional.of(new Trouble("ImagePull", "no such image"))));
        assertThat(d.status().reason()).isEqualTo("ImagePull");
        assertThat(d.status().conditions())
                .anyMatch(x -> x.type().equals("Blocked")
                        && x.status().equals("True")
                        && x.message().equals("no such image"));
        var fine = decide(job, d.status(), there(List.of(c), List.of(), word("Running", 1, 0)));
        assertThat(fine.status().conditions())
                .anyMatch(x -> x.type().equals("Blocked") && x.status().equals("False"));
    }

    @Test
    @DisplayName("The time of a condition changes with its value only")
    void transitions() {
        var job = Manifests.job();
        var c = coordinator(job, 1);
        var first = decide(job, null, there(List.of(c), List.of(), word("Running", 9, 0)))
                .status();
        var later = new Decider(
                        job,
                        first,
                        there(List.of(c), List.of(), word("Running", 9, 1)),
                        1,
                        NOW.plusSeconds(60),
                        Duration.ofSeconds(2))
                .decide()
                .status();
        assertThat(later.conditions()).extracting("lastTransitionTime").containsOnly(NOW.toString());
        assertThat(later.items().done()).isEqualTo(1);
    }
}
