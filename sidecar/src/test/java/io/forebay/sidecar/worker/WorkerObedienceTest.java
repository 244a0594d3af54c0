package io.forebay.sidecar.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.job.Job;
import io.forebay.api.job.JobReader;
import io.forebay.message.Messages.AttemptId;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.Renewed;
import io.forebay.sidecar.local.BufferPlace;
import io.forebay.sidecar.local.JobStores;
import io.forebay.sidecar.local.LocalImages;
import io.forebay.sidecar.local.LocalOptions.Images;
import io.forebay.sidecar.local.Resources;
import io.forebay.sidecar.local.StepsBy;
import io.forebay.sidecar.local.WorkerSide;
import io.forebay.testing.Wait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real worker with a real buffer and real commands, and a coordinator of the test's: whom it obeys, and when. */
class WorkerObedienceTest {
    @TempDir
    Path home;

    private final ScriptedCoordinator coordinator = new ScriptedCoordinator();
    private final Resources resources = new Resources();
    private CompletableFuture<Worker.WorkerEnd> end;

    /** One slot; commands say that they run, then wait for the test. */
    @BeforeEach
    void start() throws Exception {
        var images = LocalImages.choose(job(), Images.HOST, Map.of());
        var wish = new BufferPlace.Wish(
                "w0",
                Optional.empty(),
                List.of(home.resolve("tier")),
                Optional.of(home.resolve("control")),
                Optional.empty());
        var setup = new WorkerSide.Setup(
                new WorkerIdentity("w0", "instance", "node"),
                new StepsBy.Children(Optional.empty()),
                images,
                Map.of("PATH", System.getenv("PATH")));
        for (int i = 0; i < 2; i++) {
            coordinator.leases.add(new ItemLease(i, "id" + i, 0, 1, "item" + i, List.of(), 0, false, List.of()));
        }
        coordinator.generation = 2;
        var side = WorkerSide.open(
                job(),
                setup,
                BufferPlace.of(job(), wish, Map.of()),
                resources.add(new JobStores(List.of())),
                coordinator,
                line -> {},
                resources);
        end = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                end.complete(side.run());
            } catch (InterruptedException | RuntimeException e) {
                end.completeExceptionally(e);
            }
        });
        Wait.until("the first command runs", () -> ran().size() == 1);
    }

    private Job job() {
        var text = """
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: obedience}
                spec:
                  inputs: [{name: in, source: "file://%1$s/in/"}]
                  forEach: {input: in}
                  steps:
                  - name: work
                    command:
                    - sh
                    - -c
                    - |
                      echo "$FOREBAY_ITEM" >> %1$s/ran
                      while [ ! -e %1$s/go ]; do sleep 0.02; done
                      echo done > "$FOREBAY_OUT/$FOREBAY_ITEM"
                  outputs: [{name: out, path: "**", to: "file://%1$s/results/"}]
                  buffer: {tiers: [{medium: Disk, size: 128Mi}]}
                  workers: {slots: 1}
                """.formatted(home);
        return switch (JobReader.read(text.getBytes(StandardCharsets.UTF_8), home)) {
            case JobReader.Valid valid -> valid.job();
            case JobReader.Invalid invalid -> throw new AssertionError(invalid.problems());
        };
    }

    private List<String> ran() {
        try {
            var file = home.resolve("ran");
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Which of the two got the slot. */
    private long running() {
        return ran().getFirst().equals("item0") ? 0 : 1;
    }

    private void go() throws Exception {
        Files.writeString(home.resolve("go"), "");
        coordinator.drained = true;
        assertThat(end.get(60, TimeUnit.SECONDS).clean()).isTrue();
    }

    private void renewed(int more) {
        int before = coordinator.renewals.get();
        Wait.until("it renews", () -> coordinator.renewals.get() >= before + more);
    }

    @AfterEach
    void stop() throws Exception {
        Files.writeString(home.resolve("go"), "");
        resources.close();
    }

    @Test
    @DisplayName("a lease is renewed six times before it ends, however long it is")
    void renewsSixTimesInALease() throws Exception {
        long began = System.nanoTime();
        renewed(6);
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("six renewals of leases of 1.2 s")
                .isLessThan(Duration.ofSeconds(5));
        go();
    }

    @Test
    @DisplayName("R2 what a coordinator says that has been succeeded is not obeyed")
    void ignoresTheSucceeded() throws Exception {
        coordinator.answer = r -> new Renewed(1, List.copyOf(r.states().keySet()), List.of(), null);
        renewed(3);
        coordinator.answer = r -> new Renewed(2, List.of(), List.of(), null);
        go();
        assertThat(coordinator.ends).hasSize(2).allMatch(e -> e.failure() == null);
        assertThat(ran()).containsExactlyInAnyOrder("item0", "item1");
    }

    @Test
    @DisplayName("C2 a new coordinator, which cannot know what is held, is registered with, and cancels nothing before")
    void registersBeforeItIsJudged() throws Exception {
        coordinator.generation = 3;
        coordinator.answer =
                r -> new Renewed(3, r.generation() < 3 ? List.copyOf(r.states().keySet()) : List.of(), List.of(), null);
        Wait.until("it registers again", () -> coordinator.registrations.size() == 2);
        assertThat(coordinator.registrations.getLast().holding()).hasSize(2);
        renewed(2);
        go();
        assertThat(coordinator.ends).hasSize(2).allMatch(e -> e.failure() == null);
    }

    @Test
    @DisplayName("what the coordinator cancels is stopped and discarded, without a word")
    void cancels() throws Exception {
        long victim = running();
        coordinator.answer =
                r -> new Renewed(2, r.states().containsKey(victim) ? List.of(victim) : List.of(), List.of(), null);
        Wait.until("the other one's command runs", () -> ran().size() == 2);
        go();
        assertThat(coordinator.ends)
                .singleElement()
                .satisfies(e -> assertThat(e.item()).isEqualTo(1 - victim));
        assertThat(home.resolve("results/item" + victim)).doesNotExist();
    }

    @Test
    @DisplayName("L5 of what is recalled, what has not begun is given back and never begins; what runs goes on")
    void givesBackWhatHasNotBegun() throws Exception {
        long begun = running();
        coordinator.answer =
                r -> new Renewed(2, List.of(), List.copyOf(r.states().keySet()), null);
        Wait.until("one is given back", () -> !coordinator.released.isEmpty());
        renewed(2);
        go();
        assertThat(coordinator.released).containsExactly(new AttemptId(1 - begun, 0, 1));
        assertThat(coordinator.ends)
                .singleElement()
                .satisfies(e -> assertThat(e.item()).isEqualTo(begun));
        assertThat(ran()).containsExactly("item" + begun);
        assertThat(home.resolve("results/item" + begun)).exists();
    }
}
