package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real program against the real server: how commands start, write and end. */
class StepRunnerTest {
    @TempDir
    Path folder;

    Steps steps;

    @BeforeEach
    void open() throws IOException {
        steps = new Steps(folder);
        steps.runner("s", 8, "--environment", "engine");
    }

    @AfterEach
    void close() throws InterruptedException {
        steps.close();
    }

    @Test
    void tellsEveryExitCodeAsItIs() {
        var ids = new ArrayList<StepHost.CommandId>();
        for (int code = 0; code < 256; code++) {
            ids.add(steps.sh("exit " + code));
        }
        for (int code = 0; code < 256; code++) {
            var end = steps.heard.end(ids.get(code));
            assertThat(end.exit()).as("exit %d", code).isEqualTo(code);
            assertThat(end.signal()).as("exit %d", code).isZero();
            assertThat(end.lost()).isFalse();
            steps.server.acknowledge(ids.get(code));
        }
    }

    @Test
    void tellsEverySignalApartFromExitCodes() {
        var ids = new ArrayList<StepHost.CommandId>();
        var signals = new ArrayList<Integer>();
        for (int signal = 1; signal <= 64; signal++) {
            if (!List.of(17, 18, 19, 20, 21, 22, 23, 28, 32, 33)
                    .contains(signal)) { // ignored or stopping by default, or the C library's own
                signals.add(signal);
                ids.add(steps.sh("kill -" + signal + " $$"));
            }
        }
        for (int i = 0; i < ids.size(); i++) {
            var end = steps.heard.end(ids.get(i));
            assertThat(end.signal()).as("signal %d", signals.get(i)).isEqualTo(signals.get(i));
            assertThat(end.exit()).isZero();
        }
    }

    @Test
    void saysWhyAProgramCannotBeStarted() throws IOException {
        Files.writeString(folder.resolve("text"), "no program");
        var missing = steps.heard.end(steps.submit("s", "no-such-program"));
        assertThat(missing.exit()).isEqualTo(127);
        assertThat(missing.problem()).contains("no-such-program: not found");
        var denied = steps.heard.end(steps.submit("s", folder + "/text"));
        assertThat(denied.exit()).isEqualTo(126);
        assertThat(denied.problem()).contains("/text: cannot be run: Permission denied");
        var folderItself = steps.heard.end(steps.submit("s", folder.toString()));
        assertThat(folderItself.exit()).isEqualTo(126);
    }

    @Test
    void givesTheOutputToLogTailAndOwnOutput() throws IOException {
        var id = steps.sh("echo one; echo two >&2; printf three");
        var end = steps.heard.end(id);
        assertThat(end.success()).isTrue();
        assertThat(end.logTail()).isEqualTo("one\ntwo\nthree");
        assertThat(steps.log(id)).hasContent("one\ntwo\nthree");
        assertThat(steps.said()).contains("[item-0] one\n[item-0] two\n[item-0] three\n");
    }

    @Test
    void stopsWithSigtermThenSigkill() {
        var polite = steps.sh("trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done");
        var deaf = steps.sh("trap '' TERM; while :; do sleep 0.01; done");
        steps.heard.awaitStarted(polite);
        steps.heard.awaitStarted(deaf);
        steps.heard.await("the trap", () -> steps.log(polite).toFile().length() > 0);
        steps.server.stop(polite, Duration.ofSeconds(30));
        assertThat(steps.heard.end(polite).exit()).isEqualTo(7);
        steps.server.stop(deaf, Duration.ofMillis(300));
        var end = steps.heard.end(deaf);
        assertThat(end.signal()).isEqualTo(9);
        assertThat(end.oomKilled()).isFalse();
    }

    @Test
    void keepsTheFirstAndTheLastOfHundredMegabytes() throws IOException {
        var id = steps.submit("quiet", "sh", "-c", "seq -f %015.0f 1 6553600");
        steps.runner("quiet", 1, "--output", "none");
        var end = steps.heard.end(id);
        assertThat(end.success()).isTrue();
        var log = Files.readString(steps.log(id));
        assertThat(log.length()).isBetween(1024 * 1024, 1024 * 1024 + 100);
        assertThat(log).startsWith("000000000000001\n").endsWith("000000006553600\n");
        assertThat(log).contains("\n[... %d bytes left out ...]\n".formatted(6553600L * 16 - 1024 * 1024));
        assertThat(log.substring(512 * 1024 - 16, 512 * 1024)).isEqualTo("000000000032768\n");
        var afterCut = log.substring(log.indexOf("out ...]\n") + 9);
        assertThat(afterCut).hasSize(512 * 1024).startsWith("000000006520833\n");
        assertThat(end.logTail()).hasSize(8192).endsWith("000000006553600\n");
    }

    @Test
    void cutsLongLinesAndKeepsOtherBytes() throws IOException {
        var id = steps.sh("head -c 10000 /dev/zero | tr '\\0' x; echo; printf '\\377\\376\\0end\\n'");
        assertThat(steps.heard.end(id).logTail()).endsWith("\udcff\udcfe\0end\n");
        assertThat(steps.log(id)).hasSize(10000 + 1 + 7);
        steps.heard.await("the lines", () -> steps.said().contains("end\n"));
        var lines = steps.said().lines().filter(l -> l.contains("xx")).toList();
        assertThat(lines)
                .hasSizeGreaterThan(2)
                .allSatisfy(l -> assertThat(l).startsWith("[item-0] x").hasSizeLessThan(4097));
        assertThat(String.join("", lines).replaceAll("[^x]", "")).hasSize(10000);
    }

    @Test
    void writesNoControlCharactersFromNames() {
        var c = steps.command(steps.id("s"), "echo", "x");
        steps.server.submit(new StepHost.Command(
                c.id(),
                "a\nb\u001b[1m\udcff" + "y".repeat(300),
                c.argv(),
                c.environment(),
                c.workingFolder(),
                c.readable(),
                c.writable(),
                c.logFile(),
                c.memoryLimitBytes()));
        steps.heard.end(c.id());
        steps.heard.await("the line", () -> steps.said().contains("] x\n"));
        assertThat(steps.said()).contains("[a?b?[1m\u00ff" + "y".repeat(80)).doesNotContain("y".repeat(124));
    }

    @Test
    @DisplayName("N1 names with newlines and bytes FF FE pass in arguments, environment and paths")
    void namesAreBytes() throws IOException {
        var odd = "a\nb \udcff\udcfe$(x)*'\"";
        assertThat(steps.run("mkdir \"$(printf 'd\\377\\376\\n.')\"").success()).isTrue();
        var id = steps.id("s");
        var c = steps.command(
                id, "sh", "-c", "printf %s \"$1|$V|\"; pwd | tr -d '\\n'; printf '|'; printf x > made", "sh", odd);
        steps.server.submit(new StepHost.Command(
                id,
                c.label(),
                c.argv(),
                Map.of("V", odd),
                folder + "/d\udcff\udcfe\n.",
                List.of(),
                List.of(),
                folder + "/log\udcff\n" + id.item(),
                c.memoryLimitBytes()));
        var end = steps.heard.end(id);
        assertThat(end.logTail()).isEqualTo(odd + "|" + odd + "|" + folder + "/d\udcff\udcfe.|");
        assertThat(end.problem()).isEmpty();
        assertThat(steps.run("cat \"$(printf 'd\\377\\376\\n.')/made\" \"$(printf 'log\\377\\n1')\"")
                        .logTail())
                .isEqualTo("x" + end.logTail());
    }

    @Test
    void givesACommandWhatItShouldHaveAndNothingElse() {
        var end = steps.run("""
                set -- $(cat /proc/self/stat); echo session $(( $6 == $$ )) group $(( $5 == $$ ))
                cat /proc/self/oom_score_adj
                grep -E '^Sig(Blk|Ign)' /proc/self/status
                ls /proc/self/fd | tr '\\n' ' '; echo
                wc -c
                env | sort | grep -v -E '^(PWD|OLDPWD|_|SHLVL)='
                """);
        assertThat(end.logTail().lines())
                .containsExactly(
                        "session 1 group 1",
                        "1000",
                        "SigBlk:\t0000000000000000",
                        "SigIgn:\t0000000000000000",
                        "0 1 2 3 ",
                        "0",
                        "PATH=" + System.getenv("PATH"));
    }

    @Test
    @DisplayName(
            "a runner that something else started gives its own variables too, as its image has them; the engine's word wins")
    void givesTheVariablesOfItsImage() throws IOException {
        steps.runner("image", 1);
        var home = System.getenv("HOME");
        assertThat(home).as("something that a runner has of its own").isNotEmpty();
        assertThat(inImage(Map.of("GIVEN", "here"))).containsExactly("here " + home, "1");
        assertThat(inImage(Map.of("GIVEN", "here", "HOME", "/elsewhere"))).containsExactly("here /elsewhere", "1");
    }

    private List<String> inImage(Map<String, String> environment) {
        var id = steps.id("image");
        var c = steps.command(id, "sh", "-c", "echo $GIVEN $HOME; env | grep -c '^HOME='");
        steps.server.submit(new StepHost.Command(
                id,
                c.label(),
                c.argv(),
                environment,
                c.workingFolder(),
                c.readable(),
                c.writable(),
                c.logFile(),
                c.memoryLimitBytes()));
        return steps.heard.end(id).logTail().lines().toList();
    }

    @Test
    void endsWhatHasLeftTheGroup() throws IOException {
        var marker = "4711." + ProcessHandle.current().pid();
        var id = steps.sh("(setsid sh -c 'sleep " + marker + " & sleep " + marker + "' &) ; (trap '' TERM HUP; sleep "
                + marker + ") & sleep 0.1");
        var end = steps.heard.end(id);
        assertThat(end.success()).isTrue();
        assertThat(end.problem()).matches("ended [3-6] processes that it had left running");
        assertThat(Processes.withArgument(marker)).isEmpty();
        assertThat(end.wallMillis()).isLessThan(20_000);
    }

    @Test
    void stopsAWholeTree() throws IOException {
        var marker = "4712." + ProcessHandle.current().pid();
        var id = steps.sh("setsid sh -c \"trap '' TERM; for i in 1 2 3; do (trap '' TERM; sleep " + marker
                + ") & done; wait\" & wait");
        steps.heard.awaitStarted(id);
        steps.heard.await("three", () -> Processes.withArgument(marker).size() >= 3);
        steps.server.stop(id, Duration.ofMillis(200));
        var end = steps.heard.end(id);
        assertThat(end.signal()).isIn(9, 15);
        assertThat(Processes.withArgument(marker)).isEmpty();
    }

    @Test
    void stopsAProcessThatIsStopped() {
        var id = steps.sh("kill -STOP $$; sleep 1000");
        steps.heard.awaitStarted(id);
        steps.server.stop(id, Duration.ofSeconds(30));
        assertThat(steps.heard.end(id).signal()).isEqualTo(15);
    }

    @Test
    void leavesNoZombies() throws IOException {
        var runner = steps.runner("z", 4);
        for (int i = 0; i < 40; i++) {
            steps.heard.end(steps.submit("z", "sh", "-c", "true & (true & true) & sh -c 'true & exit' &"));
        }
        steps.heard.await("no children", () -> runner.children().findAny().isEmpty());
    }

    @Test
    void reportsTimeAndMemoryOfTheTree() {
        var end = steps.run(
                "head -c 60000000 /dev/zero | tail -c 50000000 | wc -c; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done");
        assertThat(end.success()).isTrue();
        assertThat(end.peakRssBytes()).isBetween(50_000_000L, 200_000_000L);
        assertThat(end.userMillis()).isBetween(50L, 60_000L);
        assertThat(end.wallMillis()).isGreaterThanOrEqualTo(50);
    }

    @Test
    void saysWhenACommandUsedMoreThanItsLimit() {
        var c = steps.command(steps.id("s"), "sh", "-c", "head -c 60000000 /dev/zero | tail -c 50000000 | wc -c");
        steps.server.submit(new StepHost.Command(
                c.id(),
                c.label(),
                c.argv(),
                c.environment(),
                c.workingFolder(),
                c.readable(),
                c.writable(),
                c.logFile(),
                Optional.of(10L << 20)));
        var end = steps.heard.end(c.id());
        assertThat(end.success()).isTrue();
        assertThat(end.problem()).matches("used \\d+ MiB of memory, more than its limit of 10 MiB");
    }

    @Test
    void runsAtMostSlotsAtOnceAndWithoutALog() {
        var ids = new ArrayList<StepHost.CommandId>();
        for (int i = 0; i < 40; i++) {
            var c = steps.command(
                    steps.id("s"), "sh", "-c", "mkdir run.$$; ls | grep -c ^run; sleep 0.05; rmdir run.$$");
            steps.server.submit(new StepHost.Command(
                    c.id(),
                    c.label(),
                    c.argv(),
                    c.environment(),
                    c.workingFolder(),
                    List.of(),
                    List.of(),
                    folder + "/none/log",
                    Optional.empty()));
            ids.add(c.id());
        }
        for (var id : ids) {
            var end = steps.heard.end(id);
            assertThat(Integer.parseInt(end.logTail().trim())).isBetween(1, 8);
            assertThat(end.problem()).contains("its log").contains("No such file or directory");
        }
    }

    @Test
    void aCommandTooLongForTheSystemFailsAlone() {
        var long1 = steps.heard.end(steps.submit("s", "true", "x".repeat(200_000)));
        assertThat(long1.exit()).isEqualTo(126);
        assertThat(long1.problem()).contains("Argument list too long");
        var long2 = steps.heard.end(steps.submit("s", "true", "x".repeat(5_000_000)));
        assertThat(long2.exit()).isEqualTo(126);
        assertThat(long2.problem()).contains("cannot be passed");
        assertThat(steps.run("exit 3").exit()).isEqualTo(3);
    }

    @Test
    void aWorkingFolderThatIsNotThereFailsTheCommand() {
        var c = steps.command(steps.id("s"), "true");
        steps.server.submit(new StepHost.Command(
                c.id(),
                c.label(),
                c.argv(),
                c.environment(),
                folder + "/gone",
                List.of(),
                List.of(),
                c.logFile(),
                Optional.empty()));
        var end = steps.heard.end(c.id());
        assertThat(end.exit()).isEqualTo(126);
        assertThat(end.problem())
                .contains("cannot enter the working folder " + folder + "/gone: No such file or directory");
    }

    @Test
    void aScriptWithoutAnInterpreterLineIsRunByTheShell() throws IOException {
        var script = Files.writeString(folder.resolve("script"), "echo \"hello $1\"");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(steps.heard.end(steps.submit("s", script.toString(), "you")).logTail())
                .isEqualTo("hello you\n");
    }

    @Test
    void whatIsStoppedInTheQueueNeverStarts() {
        var id = steps.submit("later", "touch", "never");
        steps.server.stop(id, Duration.ofSeconds(1));
        var end = steps.heard.end(id);
        assertThat(end.signal()).isEqualTo(15);
        assertThat(end.problem()).contains("before it was started");
        assertThat(folder.resolve("never")).doesNotExist();
    }

    @Test
    void aFullStandardOutputDoesNotKeepACommandFromBeingStopped() throws Exception {
        var nobodyReads = new ProcessBuilder(
                        "sh",
                        "-c",
                        "\"$@\" 2>/dev/null | sleep 1000",
                        "sh",
                        RunnerProgram.program().toString(),
                        "step",
                        "stuck",
                        "--socket",
                        steps.socket.path().toString(),
                        "--slots",
                        "2",
                        "--token-file",
                        Files.writeString(folder.resolve("token"), Steps.TOKEN).toString())
                .start();
        try {
            var id = steps.submit("stuck", "sh", "-c", "yes");
            steps.heard.awaitStarted(id);
            steps.heard.await(
                    "a command that cannot go on", () -> restsAt(steps.log(id).toFile()));
            steps.server.stop(id, Duration.ofMillis(100));
            assertThat(steps.heard.end(id).signal()).isIn(9, 15);
            assertThat(Processes.withArgument("yes")).isEmpty();
        } finally {
            nobodyReads
                    .descendants()
                    .filter(p -> p.info().command().orElse("").endsWith("sleep"))
                    .forEach(ProcessHandle::destroy);
            steps.server.close();
            nobodyReads.waitFor();
        }
    }

    /**
     * Whether something was printed, and nothing more comes. How much that is depends on the first read alone: of short lines, each
     * with its label, a few KiB fill a pipe.
     */
    private static boolean restsAt(File log) {
        long before = log.length();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
        return before > 0 && log.length() == before;
    }

    @Test
    void aDisplayThatIsSlowLosesLinesButNothingElse() throws Exception {
        steps.close();
        var seen = new AtomicLong();
        steps = new Steps(
                Files.createDirectory(folder.resolve("slow")),
                o -> o.withOutput((id, lines) -> {
                    if (seen.getAndAdd(lines.length) == 0) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
                    }
                }));
        steps.runner("s", 2, "--output", "engine");
        var id = steps.sh("seq 1 1000000");
        assertThat(steps.heard.end(id).success()).isTrue();
        assertThat(seen.get()).isPositive().isLessThan(30_000_000);
        assertThat(Files.readString(steps.log(id))).startsWith("1\n2\n").endsWith("1000000\n");
    }

    @Test
    @DisplayName("500 short commands over 8 slots: at most 2 ms each")
    void shortCommandsCostLittle() {
        long began = System.nanoTime();
        var ids = new ArrayList<StepHost.CommandId>();
        for (int i = 0; i < 500; i++) {
            ids.add(steps.submit("s", "/bin/true"));
        }
        for (var id : ids) {
            assertThat(steps.heard.end(id).success()).isTrue();
            steps.server.acknowledge(id);
        }
        double each = (System.nanoTime() - began) / 1e6 / 500;
        System.out.printf("step runner: %.2f ms for each of 500 commands over 8 slots%n", each);
        assertThat(each).isLessThan(20);
    }
}
