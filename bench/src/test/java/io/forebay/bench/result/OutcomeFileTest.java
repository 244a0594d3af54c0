package io.forebay.bench.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.bench.measure.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutcomeFileTest {
    @TempDir
    private Path folder;

    private static Outcome outcome(String id) {
        var goals = List.<Goal>of(
                new Goal.OfBestPeer(0.9, "rclone", "cp and sync"),
                new Goal.OfBestPeer(1.0),
                new Goal.SpeedUp(1.8, "s3fs"),
                new Goal.AsPredicted(2.5, 0.1, "direct"),
                new Goal.Seconds(0.15),
                new Goal.MillisecondsAnItem(2, 10_000),
                new Goal.Resident(160),
                new Goal.OfCpu(1.05, "direct"));
        var subject = new Subject(
                id, "tab\tand é", 12.5, goals, Map.of("by the model", 1.25), Optional.of(new Point("B8-n", "n", 10)));
        return new Outcome(
                subject,
                List.of("forebay", "s3fs"),
                List.of(
                        new Run("forebay", 0, new Sample(1.5, 0.25, 1024)),
                        new Run("s3fs", 0, new Sample(3, 0.125, 2048))),
                new Circumstances(LocalDate.of(2026, 11, 30), "a machine", 0.5, Map.of("s3fs", "1")));
    }

    @Test
    @DisplayName("what is written is read again, every kind of goal included; a tab in a text becomes a space")
    void roundTrip() throws IOException {
        OutcomeFile.write(folder, outcome("B8, n 10"));
        var read = OutcomeFile.readAll(folder).getFirst();
        assertThat(read.subject().title()).isEqualTo("tab and é");
        assertThat(read.subject().point())
                .isEqualTo(outcome("B8, n 10").subject().point());
        assertThat(read.subject().predicted()).isEqualTo(Map.of("by the model", 1.25));
        assertThat(read.subject().goals())
                .isEqualTo(outcome("B8, n 10").subject().goals());
        assertThat(read.runs()).isEqualTo(outcome("B8, n 10").runs());
        assertThat(read.circumstances()).isEqualTo(outcome("B8, n 10").circumstances());
    }

    @Test
    @DisplayName("B2 stands before B10, n 5 before n 10; removing B1 leaves B10 and B12a")
    void orderAndRemoval() throws IOException {
        for (var id : List.of("B10, run", "B8, n 10", "B1", "B1, versitygw", "B8, n 5", "B12a", "B2")) {
            OutcomeFile.write(folder, outcome(id));
        }
        OutcomeFile.remove(folder, "B1");
        assertThat(OutcomeFile.readAll(folder).stream().map(o -> o.subject().id()))
                .containsExactly("B2", "B8, n 5", "B8, n 10", "B10, run", "B12a");
    }

    @Test
    void aLineThatIsNoneIsRefusedWithItsPlace() throws IOException {
        Files.writeString(folder.resolve("B1.tsv"), "id\tB1\nrun\tforebay\t0\tfast\t0\t0\n");
        assertThatThrownBy(() -> OutcomeFile.readAll(folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("B1.tsv, line 2")
                .hasMessageContaining("fast");
    }
}
