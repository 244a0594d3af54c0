package io.forebay.sidecar.apart;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.coordinator.AwaitedWorker;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The words of a coordinator whose end waits. */
class AwaitedLinesTest {
    private static final Instant BEGAN = Instant.parse("2026-03-04T10:00:00Z");
    private static final Instant LATE = BEGAN.plusSeconds(90);

    private final AwaitedLines lines = new AwaitedLines();

    private static AwaitedWorker worker(int items) {
        return new AwaitedWorker("b", "node7", items, BEGAN.minusSeconds(5), BEGAN.plusSeconds(25));
    }

    @Test
    @DisplayName(
            "who is waited for is told after a while: name, machine, since when, until when; and again half a minute later")
    void told() {
        assertThat(lines.of(List.of(worker(0)), LATE, BEGAN))
                .as("most come at once")
                .isEmpty();
        assertThat(lines.of(List.of(worker(0)), LATE, BEGAN.plusSeconds(2)))
                .containsExactly("waiting for worker b on node7, which has not heard yet that the job is over;"
                        + " last heard of 7 s ago (2026-03-04T09:59:55Z), until 2026-03-04T10:00:25Z at most");
        assertThat(lines.of(List.of(worker(0)), LATE, BEGAN.plusSeconds(20))).isEmpty();
        assertThat(lines.of(List.of(worker(0)), LATE, BEGAN.plusSeconds(32))).hasSize(1);
    }

    @Test
    @DisplayName("what a worker holds is told while the job drains, and no longer than the whole wait is announced")
    void holds() {
        lines.of(List.of(worker(2)), LATE, BEGAN);
        assertThat(lines.of(List.of(worker(2)), BEGAN.plusSeconds(9), BEGAN.plusSeconds(3)))
                .singleElement()
                .asString()
                .contains("which holds 2 items")
                .endsWith("until 2026-03-04T10:00:09Z at most");
    }

    @Test
    @DisplayName("one that came and was awaited anew is told anew, and those of an earlier coordinator have no name")
    void unnamed() {
        lines.of(List.of(worker(0)), LATE, BEGAN);
        lines.of(List.of(), LATE, BEGAN.plusSeconds(1));
        assertThat(lines.of(List.of(worker(0)), LATE, BEGAN.plusSeconds(2))).isEmpty();
        var unknown = List.of(new AwaitedWorker("", "", 0, BEGAN, BEGAN.plusSeconds(30)));
        lines.of(unknown, LATE, BEGAN);
        assertThat(lines.of(unknown, LATE, BEGAN.plusSeconds(4)))
                .containsExactly("waiting for workers that an earlier coordinator led and that have not come back since"
                        + " 2026-03-04T10:00:00Z, until 2026-03-04T10:00:30Z at most");
    }
}
