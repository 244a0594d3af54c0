package io.forebay.bench.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.bench.measure.Command;
import io.forebay.bench.measure.Command.CommandFailed;
import io.forebay.bench.peer.Contender;
import io.forebay.bench.peer.Programs;
import io.forebay.bench.result.Goal;
import io.forebay.bench.result.Outcome;
import io.forebay.bench.result.Run;
import io.forebay.bench.result.Subject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contenders are shell commands that do the work, or do not. */
class RefereeTest {
    @TempDir
    private Path folder;

    private Path result;
    private Path truth;
    private Path diary;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/time")), "no GNU time at /usr/bin/time");
        result = folder.resolve("result");
        diary = folder.resolve("diary");
        truth = Trees.random(folder.resolve("truth"), 1, 100);
    }

    private Command does(String name, String work) {
        return new Command(
                List.of(
                        "sh",
                        "-c",
                        "echo " + name + " >>\"$1\"; " + work,
                        "sh",
                        diary.toString(),
                        truth.toString(),
                        result.toString()),
                Map.of());
    }

    private Outcome judged(int rounds, Contender... contenders) throws Exception {
        var effort = new Effort(new Budget(Duration.ofMinutes(1), 1), rounds, 1);
        var site = Site.look(new Programs(folder, folder));
        return new Referee(Files.createDirectories(folder.resolve("scratch")), effort, site)
                .judge(new Contest(
                        new Subject("B0", "copies", 0, new Goal.OfBestPeer(0.01)),
                        List.of(contenders),
                        Check.equal(truth, result),
                        result));
    }

    private static final String COPY = "cp \"$2\"/* \"$3\"";

    @Test
    @DisplayName(
            "each does the work in an empty folder, in turn, each round begun by another one; what comes once comes in the first counted round")
    void turns() throws Exception {
        var outcome = judged(
                2,
                Contender.forebay(does("ours", "[ -z \"$(ls \"$3\")\" ] && " + COPY)),
                Contender.peer("peer", does("peer", COPY)),
                Contender.slow("slow", does("slow", COPY)));

        assertThat(outcome.runs().stream().map(r -> r.round() + r.contender()))
                .containsExactly("0forebay", "0peer", "0slow", "1peer", "1forebay");
        assertThat(Files.readAllLines(diary)).containsExactly("peer", "ours", "ours", "peer", "slow", "peer", "ours");
        assertThat(outcome.runs()).extracting(Run::sample).allMatch(s -> s.seconds() > 0 && s.peakKib() > 0);
        assertThat(outcome.bestPeer()).isPresent();
        assertThat(outcome.isMet()).isFalse();
    }

    @Test
    @DisplayName("who says that it is done, and is not, ends the contest, by name")
    void wrong() {
        assertThatThrownBy(() ->
                        judged(1, Contender.forebay(does("ours", COPY)), Contender.peer("liar", does("liar", "true"))))
                .isInstanceOf(WrongResult.class)
                .hasMessageContaining("B0: liar succeeded, but of 1 files 1 are missing");
    }

    @Test
    @DisplayName("who fails ends the contest with what it said")
    void failed() {
        assertThatThrownBy(() -> judged(1, Contender.forebay(does("ours", "echo no room; exit 3"))))
                .isInstanceOf(CommandFailed.class)
                .hasMessageContaining("ended with 3")
                .hasMessageContaining("no room");
    }
}
