package io.forebay.sidecar.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.step.StepHost.CommandId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** However much commands print, what a user's terminal gets is bounded, and what is left out is told. */
class ShownOutputTest {
    private final List<String> told = new ArrayList<>();
    private long now;

    private final ShownOutput output = new ShownOutput(told::add, "file:///r/job/logs/", () -> now);

    private static CommandId command(int item) {
        return new CommandId(item, 0, 1, "work");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private long shown() {
        return told.stream().mapToLong(String::length).sum();
    }

    @Test
    @DisplayName(
            "a command that prints without end: the first lines are shown, whole, and once that the rest is not, and where it is kept")
    void oneCommand() {
        for (int i = 0; i < 20_000; i++) {
            output.lines(command(1), bytes("[a.nii] line " + i + "\n"));
        }
        output.lines(command(2), bytes("[b.nii] hello\n"));
        output.close();

        assertThat(told.getFirst()).isEqualTo("[a.nii] line 0");
        assertThat(told)
                .filteredOn(t -> t.contains("not shown;"))
                .containsExactly("[a.nii] [... what it prints from here on is not shown;"
                        + " the log of an attempt that fails is kept in file:///r/job/logs/ ...]");
        assertThat(told).contains("[b.nii] hello");
        assertThat(told.getLast()).matches("[0-9.]+ KiB that steps printed were not shown");
        assertThat(shown()).isLessThan(ShownOutput.OF_EACH + 500);
    }

    @Test
    @DisplayName(
            "what a slow display lost on its way is told too: at once if the command is still shown, and in the end")
    void dropped() {
        output.lines(command(1), bytes("[a] one\n"));
        output.dropped(command(1), 5L << 20);
        output.dropped(command(1), 5L << 20);
        output.close();

        assertThat(told).hasSize(3);
        assertThat(told.get(1)).startsWith("the steps print more than 64.0 KiB per second: not all of it is shown");
        assertThat(told.getLast()).isEqualTo("10.0 MiB that steps printed were not shown");
    }

    @Test
    @DisplayName("a batch that is larger than what is left is cut behind a whole line")
    void cutBehindALine() {
        output.lines(command(1), bytes(("[a] " + "x".repeat(999) + "\n").repeat(40)));
        assertThat(told.getFirst().lines()).allMatch(line -> line.length() == 1003);
        assertThat(told).hasSize(2);
    }

    @Test
    @DisplayName(
            "many commands together are shown no faster than a log takes; when they are slower again, all is shown again")
    void allTogether() {
        for (int i = 0; i < 1000; i++) {
            output.lines(command(i), bytes("[x] " + "y".repeat(4000) + "\n"));
        }
        assertThat(shown()).isLessThan(ShownOutput.BURST + 1000);
        assertThat(told)
                .filteredOn(t -> t.startsWith("the steps print more than 64.0 KiB per second"))
                .hasSize(1);
        now += TimeUnit.SECONDS.toNanos(2);
        output.lines(command(2000), bytes("[x] again\n"));
        assertThat(told.getLast()).isEqualTo("[x] again");
    }

    @Test
    @DisplayName("what fits is shown as it is, and nothing more is said")
    void little() {
        output.lines(command(1), bytes("[a] one\n[a] two\n"));
        output.close();
        assertThat(told).containsExactly("[a] one\n[a] two");
    }
}
