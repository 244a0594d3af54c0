package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sidecar container's first process. */
class SuperviseTest {
    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    private Process supervise(List<String> before, String... command) throws IOException {
        var all = new ArrayList<>(before);
        all.addAll(List.of(RunnerProgram.program().toString(), "supervise"));
        all.addAll(List.of(command));
        var process = new ProcessBuilder(all)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile())
                .start();
        processes.add(process);
        return process;
    }

    private Process script(String script) throws IOException {
        return supervise(List.of(), "--", "sh", "-c", script);
    }

    private List<String> lines(String file) {
        try {
            return Files.readAllLines(folder.resolve(file));
        } catch (IOException e) {
            return List.of();
        }
    }

    private void await(String what, java.util.function.BooleanSupplier condition) {
        new Heard().await(what, condition);
    }

    @Test
    void endsWithTheCodeOfWhatItRuns() throws Exception {
        for (int code : new int[] {0, 1, 64, 74, 130, 255}) {
            assertThat(script("exit " + code).waitFor()).isEqualTo(code);
        }
        assertThat(supervise(List.of(), "--", "no-such-program").waitFor()).isEqualTo(127);
        assertThat(supervise(List.of(), "--", folder.toString()).waitFor()).isEqualTo(126);
        assertThat(supervise(List.of(), "--").waitFor()).isEqualTo(64);
        assertThat(supervise(List.of(), "--max-restarts-per-minute", "0", "--", "true")
                        .waitFor())
                .isEqualTo(64);
    }

    @Test
    void startsAgainWithinASecondWhatIsKilledOrSaysThatItIsAtFault() throws Exception {
        var process = script("date +%s%N >> starts; echo $FOREBAY_RESTARTS >> restarts; n=$(wc -l < starts); "
                + "case $n in 1) kill -9 $$;; 2) exit 70;; 3) kill -SEGV $$;; *) exit 5;; esac");
        assertThat(process.waitFor()).isEqualTo(5);
        assertThat(lines("restarts")).containsExactly("0", "1", "2", "3");
        var starts = lines("starts").stream().map(Long::parseLong).toList();
        for (int i = 1; i < starts.size(); i++) {
            assertThat(Duration.ofNanos(starts.get(i) - starts.get(i - 1)))
                    .isBetween(Duration.ofMillis(150), Duration.ofMillis(2500));
        }
        assertThat(String.join("\n", lines("said")))
                .contains("was killed by signal 9")
                .contains("ended with 70, a fault of its own");
    }

    @Test
    void waitsAfterTooManyRestartsAndCanBeEndedThen() throws Exception {
        var process =
                supervise(List.of(), "--max-restarts-per-minute", "2", "--", "sh", "-c", "echo x >> starts; exit 70");
        await("the limit", () -> String.join("\n", lines("said")).contains("waiting"));
        assertThat(lines("starts")).hasSize(3);
        process.destroy();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(70);
        assertThat(lines("starts")).hasSize(3);
    }

    @Test
    void passesSignalsOnAndDoesNotStartAgainAfterThem() throws Exception {
        var process = script(
                "trap 'exit 143' TERM; trap 'echo usr1 >> heard' USR1; echo up > up; while :; do sleep 0.01; done");
        await("the traps", () -> !lines("up").isEmpty());
        new ProcessBuilder("sh", "-c", "kill -USR1 " + process.pid()).start().waitFor();
        await("the signal", () -> !lines("heard").isEmpty());
        process.destroy();
        assertThat(process.waitFor()).isEqualTo(143);
        var killed = script("echo up > up2; while :; do sleep 0.01; done");
        await("the start", () -> !lines("up2").isEmpty());
        killed.destroy();
        assertThat(killed.waitFor()).isEqualTo(128 + 15);
    }

    @Test
    void asInitItReapsOrphansAndEndsWithTheCode() throws Exception {
        var process = supervise(
                List.of("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"),
                "--",
                "sh",
                "-c",
                "for i in 1 2 3 4 5 6 7 8 9; do (true & true & true) & done; wait; i=0; "
                        + "while cat /proc/[0-9]*/stat 2>/dev/null | grep -q ') Z '; do i=$((i+1)); [ $i -lt 500 ] || exit 9; sleep 0.01; done; "
                        + "grep -q supervise /proc/1/cmdline && exit 3");
        int code = process.waitFor();
        assumeThat(String.join("\n", lines("said"))).as("namespaces here").doesNotContain("unshare:");
        assertThat(code).isEqualTo(3);
    }

    @Test
    void endsWhatIsLeftWhenItEnds() throws Exception {
        var marker = "4717." + ProcessHandle.current().pid();
        assertThat(script("(sleep " + marker + " &); exit 4").waitFor()).isEqualTo(4);
        await("its orphan to end", () -> Processes.withArgument(marker).isEmpty());
    }

    private Process ended(String script, String... options) throws IOException {
        var command = new ArrayList<>(List.of("--ended", folder.resolve("ended").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("--", "sh", "-c", script));
        return supervise(List.of(), command.toArray(String[]::new));
    }

    private void awaitEnded(String code) {
        await("the end to be told", () -> lines("ended").equals(List.of(code)));
    }

    @Test
    @DisplayName(
            "K1 in a pod the end for good is told in a file, and the container stays: kubelet would start it again")
    void tellsTheEndAndStays() throws Exception {
        for (int code : new int[] {64, 75, 255}) {
            var process = ended("exit " + code);
            awaitEnded(Integer.toString(code));
            assertThat(process.waitFor(200, TimeUnit.MILLISECONDS)).isFalse();
            process.destroy();
            assertThat(process.waitFor()).isEqualTo(code);
            assertThat(lines("ended")).containsExactly(Integer.toString(code));
        }
        var absent = supervise(List.of(), "--ended", folder.resolve("ended").toString(), "--", "no-such-program");
        awaitEnded("127");
        absent.destroy();
        assertThat(absent.waitFor()).isEqualTo(127);
    }

    @Test
    @DisplayName("K1 an exit code of 0 is no success unless the command itself says so in the file")
    void zeroIsTheCommandsOwnWord() throws Exception {
        var silent = ended("exit 0");
        awaitEnded("70");
        assertThat(lines("said")).anyMatch(l -> l.contains("this is no success"));
        silent.destroy();
        assertThat(silent.waitFor()).isEqualTo(70);
        var contradicting = ended("echo 0 > $FOREBAY_ENDED; exit 64");
        awaitEnded("64");
        contradicting.destroy();
        var saying = ended("echo 0 > $FOREBAY_ENDED; exit 0");
        awaitEnded("0");
        assertThat(saying.waitFor(200, TimeUnit.MILLISECONDS)).isFalse();
        saying.destroy();
        assertThat(saying.waitFor()).isZero();
        assertThat(lines("ended")).containsExactly("0");
    }

    @Test
    void whatAnEarlierLifeSaidIsForgottenAtEachStart() throws Exception {
        Files.writeString(folder.resolve("ended"), "0\n");
        var process = ended("[ -e $FOREBAY_ENDED ] && exit 6; echo x >> starts; [ $FOREBAY_RESTARTS = 1 ] && exit 5; "
                + "echo 0 > $FOREBAY_ENDED; exit 70");
        awaitEnded("5");
        assertThat(lines("starts")).hasSize(2);
        process.destroy();
        assertThat(process.waitFor()).isEqualTo(5);
    }

    @Test
    void toldToEndItEndsWithItsCommandAndTellsTheCode() throws Exception {
        var process = ended("trap 'exit 143' TERM; echo up > up; while :; do sleep 0.01; done");
        await("the trap", () -> !lines("up").isEmpty());
        process.destroy();
        assertThat(process.waitFor()).isEqualTo(143);
        assertThat(lines("ended")).containsExactly("143");
    }

    @Test
    @DisplayName("K1 a command that never lives long is given up in a pod, which would stay in its start for ever")
    void givesUp() throws Exception {
        var process = ended("echo x >> starts; kill -9 $$", "--max-restarts-per-minute", "1000");
        awaitEnded("70");
        assertThat(lines("starts")).hasSize(10);
        assertThat(lines("said")).anyMatch(l -> l.contains("giving up"));
        process.destroy();
        assertThat(process.waitFor()).isEqualTo(70);
    }

    @Test
    void theFileIsForAllUsersWhateverTheUmask() throws Exception {
        var file = folder.resolve("ended");
        var process = supervise(
                List.of("sh", "-c", "umask 077; exec \"$@\"", "sh"),
                "--ended",
                file.toString(),
                "--",
                "sh",
                "-c",
                "exit 3");
        awaitEnded("3");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r--r--");
        process.destroy();
        process.waitFor();
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("ended", "said");
    }

    @Test
    void aFileThatCannotBeWrittenIsSaid() throws Exception {
        var process = supervise(List.of(), "--ended", folder + "/nowhere/ended", "--", "sh", "-c", "exit 64");
        assertThat(process.waitFor()).isEqualTo(64);
        assertThat(lines("said")).anyMatch(l -> l.contains("cannot write to") && l.contains("No such file"));
    }
}
