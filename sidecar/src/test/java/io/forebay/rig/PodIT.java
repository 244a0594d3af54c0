package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The processes of a worker's pod, started in kubelet's order by kubelet's rules, on one machine. */
class PodIT extends ApartTest {
    private final List<Process> containers = new ArrayList<>();
    private Path volume;
    /** What the sidecar is started by. */
    private List<String> bufferAs = List.of();

    @BeforeEach
    void volume() throws IOException {
        assumeTrue(StepRunnerBinary.path().isPresent(), "left out: no step runner could be built");
        volume = Files.createDirectory(rig.home().resolve("pod"));
        apart.lease("3s");
    }

    @AfterEach
    void endContainers() throws InterruptedException {
        for (var process : containers.reversed()) {
            process.destroy();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                kill(process);
            }
        }
    }

    private String ended() {
        return volume.resolve("ended").toString();
    }

    private Process forebayStep(Path program, String... args) throws IOException {
        var argv = new ArrayList<String>();
        argv.add(program.toString());
        argv.addAll(List.of(args));
        return container(argv);
    }

    private Process container(List<String> argv) throws IOException {
        var log = rig.home().resolve("log-container-" + containers.size()).toFile();
        var builder = new ProcessBuilder(argv).redirectErrorStream(true).redirectOutput(log);
        builder.environment().put("FOREBAY_DISK", rig.home().resolve("disk").toString());
        builder.environment().put("WHO", "pod");
        var process = builder.start();
        containers.add(process);
        return process;
    }

    private Path program() {
        return StepRunnerBinary.path().orElseThrow();
    }

    /** The sidecar, at the address that the coordinator has. */
    private Process buffer(String manifest, String... more) throws IOException {
        var argv = new ArrayList<>(bufferAs);
        argv.addAll(List.of(program().toString(), "supervise", "--ended", ended(), "--"));
        argv.addAll(rig.java());
        argv.addAll(
                List.of("buffer", manifest, "--token-file", apart.tokenFile().toString(), "--worker", "w-0"));
        argv.addAll(List.of("--steps", "socket", "--socket", volume + "/steps.sock"));
        argv.addAll(List.of("--install-runner", volume.toString(), "--progress", "plain"));
        argv.addAll(List.of(more));
        return container(argv);
    }

    private Process bufferOfTheJob() throws IOException {
        return buffer(apart.manifest().toString(), "--coordinator", apart.at().toString());
    }

    /** Kubelet starts the next container when it has ended. */
    private void postStart() throws Exception {
        var await = forebayStep(program(), "await", "--socket", volume + "/steps.sock", "--ended", ended());
        assertThat(await.waitFor(60, TimeUnit.SECONDS)).as(apart.printed()).isTrue();
        assertThat(await.exitValue()).isZero();
    }

    private Process step() throws IOException {
        return forebayStep(
                volume.resolve("forebay-step"),
                "step",
                "work",
                "--slots",
                "2",
                "--socket",
                volume + "/steps.sock",
                "--token-file",
                apart.tokenFile().toString(),
                "--ended",
                ended());
    }

    private Process commit() throws IOException {
        return forebayStep(
                program(),
                "commit",
                "--socket",
                volume + "/steps.sock",
                "--token-file",
                apart.tokenFile().toString(),
                "--ended",
                ended());
    }

    private void assertEnds(Process commit, int code) throws Exception {
        assertThat(commit.waitFor(60, TimeUnit.SECONDS)).as(apart.printed()).isTrue();
        assertThat(commit.exitValue()).as(apart.printed()).isEqualTo(code);
    }

    private void job() {
        items(4);
        rig.job(script(""), "  workers: {slots: 2}");
    }

    @Test
    @DisplayName("K1 the pod ends with 0 when all is durable; its sidecars stay until they are told to end")
    void succeeds() throws Exception {
        job();
        var coordinator = apart.coordinator();
        var buffer = bufferOfTheJob();
        postStart();
        var step = step();
        assertEnds(commit(), 0);
        assertEachPublishedOnce(4);
        assertThat(rig.await(coordinator).exit()).isZero();
        assertThat(buffer.isAlive()).isTrue();
        assertThat(step.isAlive()).isTrue();
        step.destroy();
        assertThat(step.waitFor()).isZero();
        buffer.destroy();
        assertThat(buffer.waitFor()).isZero();
    }

    @Test
    @DisplayName(
            "K1 an engine that found nothing to do has ended before commit is started: the pod ends with 0 all the same")
    void commitComesLate() throws Exception {
        job();
        assertThat(rig.run().exit()).isZero();
        var coordinator = apart.coordinator("--resume");
        bufferOfTheJob();
        postStart();
        awaiting(
                "the engine has ended",
                () -> Files.exists(Path.of(ended())) && !Files.exists(volume.resolve("steps.sock")));
        var step = step();
        assertEnds(commit(), 0);
        assertThat(step.isAlive())
                .as("containers behind it are started only while it runs")
                .isTrue();
        assertThat(rig.await(coordinator).exit()).isZero();
    }

    @Test
    @DisplayName("K1 a manifest that is refused ends the pod at once with 64: the steps' containers can be started")
    void refused() throws Exception {
        Files.writeString(apart.manifest(), "kind: PipelineJob\n");
        buffer(apart.manifest().toString(), "--coordinator", "http://127.0.0.1:1");
        postStart();
        var step = step();
        assertEnds(commit(), 64);
        assertThat(step.isAlive()).isTrue();
        assertThat(apart.printed()).contains("metadata");
    }

    @Test
    @DisplayName("K1 without a coordinator the pod ends with 75 when the engine's patience is over")
    void noCoordinator() throws Exception {
        job();
        buffer(apart.manifest().toString(), "--coordinator", "http://127.0.0.1:1", "--patience", "1s");
        postStart();
        assertEnds(commit(), 75);
    }

    @Test
    @DisplayName("K1 a program that ends with 0 without having carried a job is no success")
    void printsItsHelp() throws Exception {
        buffer("--help");
        postStart();
        assertEnds(commit(), 70);
    }

    @Test
    @DisplayName("K1 an engine that is killed is started again and the pod goes on to its good end")
    void engineKilled() throws Exception {
        items(4);
        rig.job(script(waitIf("pod", "go")), "  workers: {slots: 2}");
        var coordinator = apart.coordinator();
        var buffer = bufferOfTheJob();
        postStart();
        step();
        var commit = commit();
        awaiting("its commands run", () -> ranBy("pod").size() == 2);
        buffer.children().forEach(ProcessHandle::destroyForcibly);
        touch("go");
        assertEnds(commit, 0);
        assertEachPublishedOnce(4);
        assertThat(rig.await(coordinator).exit()).isZero();
        assertThat(lines("ran")).as("no command was lost").hasSize(4);
    }

    @Test
    void theRunnerIsReplacedWholeAndMayBeRun() throws Exception {
        Files.writeString(volume.resolve("forebay-step"), "an older one");
        buffer("no-such-manifest", "--coordinator", "http://127.0.0.1:1");
        awaiting("it is there", () -> Files.isExecutable(volume.resolve("forebay-step")));
        assertThat(volume.resolve("forebay-step")).hasSameBinaryContentAs(program());
    }

    /** As a container with a user of its own: of our kind, with nothing but the shared group in common. */
    private Process containerOf(int user, List<String> argv) throws IOException {
        var all =
                new ArrayList<>(List.of("setpriv", "--reuid", "" + user, "--regid", "" + user, "--groups", "" + GROUP));
        all.addAll(argv);
        return container(all);
    }

    private List<String> step(String name) {
        return List.of(
                volume.resolve("forebay-step").toString(),
                "step",
                name,
                "--slots",
                "2",
                "--socket",
                volume + "/steps.sock",
                "--token-file",
                apart.tokenFile().toString(),
                "--ended",
                ended());
    }

    private static final int GROUP = 65533;

    @Test
    @DisplayName(
            "N8 K1 steps of three users pass files of mode 0600 to each other and to the engine; they are published as they were made")
    void stepsOfOtherUsers() throws Exception {
        assumeTrue(PosixProcess.euid() == 0, "only root can start processes as other users");
        // Their own folder: what the test's folder is in may be closed to them.
        var open = Files.createDirectory(Path.of("/var/tmp/" + rig.name()));
        try {
            stepsOfOtherUsers(open);
        } finally {
            FileTree.delete(open.toString());
        }
    }

    private void stepsOfOtherUsers(Path open) throws Exception {
        volume = Files.createDirectory(open.resolve("pod"));
        // Owns what the test has made, and is no more to others' files than any user.
        bufferAs = List.of(
                "setpriv",
                "--groups",
                "" + GROUP,
                "--inh-caps=-all",
                "--bounding-set=-dac_override,-dac_read_search,-fowner,-chown,-fsetid");
        var logs = Files.createDirectory(open.resolve("logs"));
        var tier = Files.createDirectory(open.resolve("tier"));
        for (var path : List.of(open, volume, tier)) {
            Posix.fchownat(null, path.toString(), 0, GROUP);
            Posix.fchmodat(null, path.toString(), 02775);
        }
        for (int i = 0; i < 3; i++) {
            var input = rig.input("f" + i, "value " + i).inputs().resolve("f" + i);
            Posix.fchmodat(null, input.toString(), 0600);
        }
        rig.job("", """
                  steps:
                  - name: first
                    command:
                    - sh
                    - -c
                    - |
                      umask 077; echo printed; mkdir -p "$FOREBAY_WORK/d" "$FOREBAY_OUT/$FOREBAY_NAME.d/empty"
                      cat "$FOREBAY_INPUT" > "$FOREBAY_WORK/d/x"; id -u > "$FOREBAY_OUT/$FOREBAY_NAME.d/first"
                  - name: second
                    command:
                    - sh
                    - -c
                    - |
                      umask 077; if touch "$FOREBAY_INPUT"; then exit 9; fi
                      { cat "$FOREBAY_WORK/d/x"; id -u; } > "$FOREBAY_OUT/$FOREBAY_NAME.d/second"
                      chmod 640 "$FOREBAY_OUT/$FOREBAY_NAME.d/second"\
                """, "  buffer: {tiers: [{medium: Disk, size: 64Mi}]}", "  workers: {slots: 2}");
        var coordinator = apart.coordinator();
        Posix.fchownat(null, apart.tokenFile().toString(), 0, GROUP);
        Posix.fchmodat(null, apart.tokenFile().toString(), 0640);
        Files.copy(apart.tokenFile(), open.resolve("token"));
        Posix.fchmodat(null, open.resolve("token").toString(), 0644);
        var argv = new ArrayList<>(List.of("--coordinator", apart.at().toString(), "--step-group", "" + GROUP));
        argv.addAll(List.of("--logs", logs.toString()));
        argv.addAll(List.of(
                "--tier",
                tier.toString(),
                "--control",
                rig.home().resolve("control").toString()));
        buffer(apart.manifest().toString(), argv.toArray(String[]::new));
        postStart();
        for (var step : List.of("first", "second")) {
            var command = new ArrayList<>(step(step));
            command.set(
                    command.indexOf(apart.tokenFile().toString()),
                    open.resolve("token").toString());
            containerOf(step.equals("first") ? 12001 : 12002, command);
        }
        assertEnds(commit(), 0);
        assertThat(rig.await(coordinator).exit()).isZero();
        for (int i = 0; i < 3; i++) {
            var folder = rig.results().resolve("f" + i + ".d");
            assertThat(folder.resolve("first")).hasContent("12001\n");
            assertThat(folder.resolve("second")).hasContent("value " + i + "12002\n");
            assertThat(mode(folder.resolve("first"))).isEqualTo(0600);
            assertThat(mode(folder.resolve("second"))).isEqualTo(0640);
            assertThat(mode(folder.resolve("empty"))).isEqualTo(0700);
        }
        assertThat(apart.printed()).doesNotContain("is not whole");
        try (var left = Files.walk(tier)) {
            assertThat(left.filter(Files::isRegularFile)
                            .map(p -> p.getFileName().toString()))
                    .as("evicted, whoever made it")
                    .allMatch(name -> name.equals(".lock"));
        }
    }

    private static int mode(Path file) throws IOException {
        return Posix.lstat(file.toString()).permissions();
    }
}
