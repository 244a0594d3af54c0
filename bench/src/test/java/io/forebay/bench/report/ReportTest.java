package io.forebay.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.bench.measure.Sample;
import io.forebay.bench.result.Circumstances;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Point;
import io.forebay.bench.result.Run;
import io.forebay.bench.result.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    @TempDir
    private Path checkout;

    private Path docs;

    @BeforeEach
    void folders() throws IOException {
        docs = Files.createDirectory(checkout.resolve("docs"));
    }

    private static Outcome outcome(String id, double ours, double theirs, Optional<Point> point) {
        var runs = new ArrayList<Run>();
        for (int round = 0; round < 4; round++) {
            runs.add(new Run("forebay", round, new Sample(ours, 1, 100 << 10)));
            runs.add(new Run("a < b", round, new Sample(theirs, 1, 100 << 10)));
        }
        var goals = List.<Goal>of(new Goal.OfBestPeer(0.8), new Goal.Resident(80));
        return new Outcome(
                new Subject(id, "work & more", 0, goals, Map.of("model", 1.0), point),
                List.of("forebay", "a < b"),
                runs,
                new Circumstances(LocalDate.of(2026, 11, 30), "a machine", 0.5, Map.of("peer", "peer 1.0")));
    }

    @Test
    @DisplayName("one benchmark measured again replaces its own rows, and neither the others' nor what people wrote")
    void oneRowAlone() throws Exception {
        var page = docs.resolve("benchmarks.md");
        Files.writeString(
                page,
                "by hand\n<!-- written by bench/run: begin -->\n<!-- written by bench/run: end -->\nalso by hand\n");
        var report = new Report(docs);
        report.replace("B1", List.of(outcome("B1, old", 1, 2, Optional.empty())));
        report.replace("B10", List.of(outcome("B10", 3, 2, Optional.empty())));
        report.replace("B1", List.of(outcome("B1, new", 1, 4, Optional.empty())));

        var text = Files.readString(page);
        assertThat(text).startsWith("by hand\n").endsWith("also by hand\n").doesNotContain("B1, old");
        assertThat(text)
                .contains("| B1, new | work & more | **forebay** | 1.00 (1.00 to 1.00)")
                .contains("0.25 (0.25 to 0.25)")
                .contains("0.8 x the best peer: met; 80 MiB: **missed**")
                .contains("| B10 |")
                .contains("1.50 (1.50 to 1.50)")
                .contains("- B1, B10: a machine")
                .contains("- peer: peer 1.0");
    }

    @Test
    @DisplayName("the README shows three figures, and says of those that are missing that they are")
    void headlines() throws Exception {
        var readme = checkout.resolve("README.md");
        Files.writeString(
                readme, "# F\n<!-- written by bench/run: begin -->\n<!-- written by bench/run: end -->\nmore\n");
        new Report(docs).replace("B2", List.of(outcome("B2, versitygw", 1, 4, Optional.empty())));

        assertThat(Files.readString(readme))
                .startsWith("# F\n")
                .endsWith("more\n")
                .contains("| 1.00 s | a < b: 4.00 s | 0.25 (0.25 to 0.25), goal missed | 2026-11-30, load 0.5 |")
                .containsPattern("in order.*not measured yet")
                .containsPattern("slow shared file system.*not measured yet");
    }

    @Test
    @DisplayName("plots are well-formed whatever the names are, and a curve has a point for each of its outcomes")
    void plots() throws Exception {
        new Report(docs)
                .replace(
                        "B8",
                        List.of(
                                outcome("B8, n 1", 1, 2, Optional.of(new Point("B8-n", "n", 1))),
                                outcome("B8, n 10", 1, 9, Optional.of(new Point("B8-n", "n", 10)))));
        for (var name : List.of("side-by-side.svg", "B8-n.svg")) {
            var svg = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(docs.resolve("benchmarks").resolve(name).toFile());
            assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
            assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(name.startsWith("B8") ? 4 : 0);
        }
        assertThat(Files.readString(docs.resolve("benchmarks.md"))).contains("(benchmarks/B8-n.svg)");
    }
}
