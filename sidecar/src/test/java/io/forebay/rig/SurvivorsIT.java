package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A1: everybody who keeps a command is killed at once, so that what it had started goes on. It must neither write into the next attempt's
 * outputs, nor be left running where it can be found.
 */
class SurvivorsIT extends RigTest {
    private static final int LINES = 10;

    @BeforeEach
    void needsTheRunner() {
        Assumptions.assumeTrue(StepRunnerBinary.path().isPresent(), "left out: no step runner could be built");
    }

    @AfterEach
    void endTheSurvivor() throws IOException {
        survivor().ifPresent(ProcessHandle::destroyForcibly);
    }

    /** One item; the first attempt's program writes without an end, the second's ten lines. @param launch of prog.sh, in bash */
    private void job(String launch) throws IOException {
        rig.input("f1", "x");
        var home = rig.home();
        Files.writeString(home.resolve("prog.sh"), """
                out=$1 home=$2
                most=%d
                if mkdir "$home/first" 2>/dev/null; then most=100000; echo $$ > "$home/pid.tmp"; mv "$home/pid.tmp" "$home/pid"; fi
                for i in $(seq $most); do
                  [ -e "$home/stop" ] && [ $most = 100000 ] && exit
                  mkdir -p "$out"; echo "$$ $i" >> "$out/f1.out"; echo $i > "$home/beat.$most"; sleep 0.1
                done
                """.formatted(LINES));
        var step = Files.writeString(
                home.resolve("step.sh"), "prog=" + home.resolve("prog.sh") + " home=" + home + "\n" + launch);
        rig.job(
                "",
                "  steps:",
                "  - {name: work, command: [bash, \"" + step + "\"]}",
                "  retry: {item: 5}",
                "  workers: {slots: 1}");
    }

    private java.util.Optional<ProcessHandle> survivor() throws IOException {
        var file = rig.home().resolve("pid");
        return Files.exists(file)
                ? ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                : java.util.Optional.empty();
    }

    private void awaitFirst() {
        eventually("the first attempt writes", () -> Files.exists(rig.home().resolve("beat.100000")));
    }

    private static List<ProcessHandle> runnersOf(Process engine) {
        return engine.descendants()
                .filter(p -> p.info().command().orElse("").endsWith("forebay-step"))
                .toList();
    }

    private static void signal(String name, Stream<ProcessHandle> processes) throws Exception {
        var line = new ArrayList<>(List.of("kill", "-" + name));
        processes.forEach(p -> line.add(Long.toString(p.pid())));
        assertThat(new ProcessBuilder(line).inheritIO().start().waitFor()).isZero();
    }

    /**
     * At once, as far as they can see: none of them does anything between the first one's death and its own. Children first, for
     * a process group that is orphaned while it is stopped gets SIGCONT: the keeper would end its command then.
     */
    private static void killTogether(List<ProcessHandle> processes) throws Exception {
        signal("STOP", processes.stream());
        signal(
                "KILL",
                processes.stream()
                        .sorted(Comparator.comparingInt(SurvivorsIT::depth).reversed()));
        Wait.until(
                "they are dead",
                Duration.ofSeconds(10),
                () -> processes.stream().allMatch(SurvivorsIT::isDead));
    }

    private static int depth(ProcessHandle process) {
        return 1 + process.parent().map(SurvivorsIT::depth).orElse(0);
    }

    /** A zombie too: its parent may be stopped. */
    private static boolean isDead(ProcessHandle process) {
        try {
            var stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            return stat.substring(stat.lastIndexOf(')')).startsWith(") Z");
        } catch (IOException e) {
            return true;
        }
    }

    private void killEngineAndRunners(Process engine) throws Exception {
        var all = new ArrayList<>(runnersOf(engine));
        assertThat(all).as("runner and keeper").hasSizeGreaterThanOrEqualTo(2);
        all.add(engine.toHandle());
        killTogether(all);
        assertThat(survivor()).hasValueSatisfying(p -> assertThat(isDead(p)).isFalse());
    }

    private void assertOneAttemptAlone() throws IOException {
        var text = rig.published().get("f1.out").lines().toList();
        assertThat(text).hasSize(LINES);
        assertThat(text.stream().map(l -> l.split(" ")[0]).distinct()).hasSize(1);
    }

    private void assertSurvivorIsGone() throws IOException {
        assertThat(survivor().filter(p -> !isDead(p))).as("ended").isEmpty();
    }

    @Test
    @DisplayName(
            "A1 engine and runners killed at once: the next start ends what still runs, and publishes one attempt alone")
    void engineAndRunners() throws Exception {
        job("bash $prog \"$FOREBAY_OUT\" $home; exit $?\n");
        var first = rig.startRun("--progress", "none");
        awaitFirst();
        killEngineAndRunners(first);

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertOneAttemptAlone();
        assertSurvivorIsGone();
    }

    @Test
    @DisplayName("A1 the same of a daemon (setsid) whose step had been killed long before the next start")
    void daemon() throws Exception {
        job("setsid bash $prog \"$FOREBAY_OUT\" $home < /dev/null > /dev/null 2>&1 & sleep 1000 & wait %1; exit $?\n");
        var first = rig.startRun("--progress", "none");
        awaitFirst();
        killEngineAndRunners(first);

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertOneAttemptAlone();
        assertSurvivorIsGone();
    }

    @Test
    @DisplayName("A1 the runners alone are killed, the engine lives: it ends what they kept before the item runs again")
    void runnersAlone() throws Exception {
        job("bash $prog \"$FOREBAY_OUT\" $home; exit $?\n");
        var engine = rig.startRun("--progress", "none");
        awaitFirst();
        signal("STOP", Stream.of(engine.toHandle()));
        killTogether(runnersOf(engine));
        assertThat(survivor()).hasValueSatisfying(p -> assertThat(isDead(p)).isFalse());
        signal("CONT", Stream.of(engine.toHandle()));

        var result = rig.await(engine);

        assertThat(result.exit()).as(result.all()).isZero();
        assertOneAttemptAlone();
        assertSurvivorIsGone();
    }

    @Test
    @DisplayName(
            "A1 a survivor that cleared its environment is not found: it cannot reach the next attempt's folder, and its own goes in the end")
    void scrubbed() throws Exception {
        // The second attempt ends only when the survivor has written beside it, and has been told to end.
        job("""
                again=$([ -e $home/first ] && echo yes)
                if [ "$again" ]; then
                  rm -f $home/beat.100000; for i in $(seq 600); do [ -e $home/beat.100000 ] && break; sleep 0.1; done
                fi
                setsid env -i PATH=$PATH bash $prog "$FOREBAY_OUT" $home & wait; code=$?
                if [ "$again" ]; then
                  [ -e $home/beat.100000 ] || exit 9
                  touch $home/stop; for i in $(seq 600); do kill -0 $(cat $home/pid) 2>/dev/null || break; sleep 0.1; done
                fi
                exit $code
                """);
        var first = rig.startRun("--progress", "none");
        awaitFirst();
        killEngineAndRunners(first);

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertOneAttemptAlone();
    }
}
