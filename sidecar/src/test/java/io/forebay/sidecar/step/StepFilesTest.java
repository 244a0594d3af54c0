package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** What the runner does with files, as their owner. */
class StepFilesTest {
    private static final int STEP_USER = 12345;
    private static final int SHARED_GROUP = 4321;

    @TempDir(cleanup = CleanupMode.NEVER) // it holds what only the runner's way of removing can remove
    Path folder;

    Steps steps;
    final StepHost.CommandId any = new StepHost.CommandId(1, 1, 1, "s");

    @BeforeEach
    void open() throws IOException {
        steps = new Steps(folder);
    }

    @AfterEach
    void close() throws Exception {
        steps.close();
        FileTree.delete(folder.toString());
    }

    private void ownRunner() throws IOException {
        steps.runner("s", 2);
        assertThat(steps.run("true").success()).isTrue();
    }

    /** As in a pod: another user, the shared group is a supplemental one. */
    private void runnerOfAnotherUser() throws IOException {
        assumeTrue(PosixProcess.euid() == 0, "only root can start a runner as another user");
        var program = Files.copy(RunnerProgram.program(), folder.resolve("forebay-step"));
        share(folder, 0770);
        share(program, 0750);
        share(steps.socket.path(), 0660);
        Files.createFile(folder.resolve("said"));
        var command = new ArrayList<>(List.of(
                "setpriv", "--reuid", "" + STEP_USER, "--regid", "" + STEP_USER, "--groups", "" + SHARED_GROUP));
        command.addAll(List.of(
                program.toString(),
                "step",
                "s",
                "--socket",
                steps.socket.path().toString(),
                "--slots",
                "2",
                "--token-file",
                "-"));
        steps.start(command);
        var id = steps.id("s");
        steps.server.submit(steps.command(id, "id", "-u"));
        assertThat(steps.heard.end(id).logTail()).isEqualTo(STEP_USER + "\n");
    }

    private static void share(Path path, int mode) throws IOException {
        Posix.fchownat(null, path.toString(), 0, SHARED_GROUP);
        Posix.fchmodat(null, path.toString(), mode);
    }

    private boolean unwritten(Path path) throws Exception {
        return steps.server.isUnwritten(any, path.toString()).get();
    }

    @Test
    @DisplayName("P3 P5 a file counts as unwritten only without a writable opening or mapping anywhere")
    void leases() throws Exception {
        ownRunner();
        var file = folder.resolve("out\n");
        try (var writer = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            assertThat(unwritten(file)).isFalse();
            try (var arena = Arena.ofConfined()) {
                var map = writer.map(FileChannel.MapMode.READ_WRITE, 0, 4096, arena);
                writer.close();
                assertThat(unwritten(file)).as("mapped").isFalse();
                map.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 0, (byte) 1);
            }
        }
        assertThat(unwritten(file)).isTrue();
        try (var reader = FileChannel.open(file)) {
            assertThat(unwritten(file)).as("%s", reader).isTrue();
        }
        var holder = steps.sh("exec 3>>\"$(printf 'out\\n.')\"; cd ..; exec 3>>" + folder + "/held; echo; sleep 1000");
        steps.heard.await("the file", () -> folder.resolve("held").toFile().exists());
        assertThat(unwritten(folder.resolve("held"))).isFalse();
        steps.server.stop(holder, java.time.Duration.ZERO);
        steps.heard.end(holder);
        assertThat(unwritten(folder.resolve("held"))).isTrue();
    }

    @Test
    void whatIsNoPlainFileIsNeverUnwritten() throws Exception {
        ownRunner();
        assertThat(unwritten(folder.resolve("absent"))).isFalse();
        assertThat(unwritten(folder)).isFalse();
        Posix.mkfifoat(null, folder + "/fifo", 0600);
        assertThat(unwritten(folder.resolve("fifo"))).isFalse();
        Files.createFile(folder.resolve("file"));
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("file"));
        assertThat(unwritten(folder.resolve("link"))).isFalse();
        assertThat(unwritten(folder.resolve("file"))).isTrue();
    }

    @Test
    @DisplayName(
            "N8 files of mode 0600 in folders of 0700, by another user, moved in with another group: opened, true modes kept")
    void handOver() throws Exception {
        runnerOfAnotherUser();
        var out = Files.createDirectory(folder.resolve("out"));
        share(out, 02770);
        var id = steps.submit("s", "sh", "-c", """
                umask 077
                mkdir out/d out/d/e; printf 1 > out/d/e/secret; printf 2 > out/d/run; chmod 700 out/d/run
                chmod 500 out/d/e; printf 3 > "out/d/$(printf 'odd\\377\\n.')"
                umask 022; printf 4 > out/open; ln -s /etc/passwd out/link; mkfifo out/fifo; ln out/open out/twice
                printf 5 > moved; chgrp %d moved; chmod 640 moved; mv moved out/; chmod 4755 out/open
                """.formatted(STEP_USER));
        assertThat(steps.heard.end(id).exit()).as(steps.heard.end(id).logTail()).isZero();
        var modes = folder.resolve("modes");
        var secret = Posix.lstat(out + "/d/e/secret");
        steps.server
                .handOver(id, List.of(out.toString(), folder + "/absent"), modes.toString())
                .get();
        for (int again = 0; again < 2; again++) {
            var trueModes = TrueModes.read(modes);
            assertThat(trueMode(trueModes, out + "/d/e/secret")).isEqualTo(0600);
            assertThat(trueMode(trueModes, out + "/d/e")).isEqualTo(02500);
            assertThat(trueMode(trueModes, out + "/d")).isEqualTo(02700);
            assertThat(trueMode(trueModes, out + "/d/run")).isEqualTo(0700);
            assertThat(trueMode(trueModes, out + "/d/odd\udcff\n.")).isEqualTo(0600);
            assertThat(trueMode(trueModes, out + "/moved")).isEqualTo(0640);
            assertThat(trueMode(trueModes, out + "/open")).isEqualTo(04755);
            steps.server.handOver(id, List.of(out.toString()), modes.toString()).get(); // nothing left to do
        }
        for (var name : List.of("/d/e/secret", "/d/run", "/moved")) {
            var stat = Posix.lstat(out + name);
            assertThat(stat.gid()).as(name).isEqualTo(SHARED_GROUP);
            assertThat(stat.mode() & 0060).as(name).isEqualTo(0060);
        }
        assertThat(Posix.lstat(out + "/d/run").mode() & 07777).isEqualTo(0770);
        assertThat(Posix.lstat(out + "/d/e").mode() & 0770).isEqualTo(0770);
        assertThat(Posix.lstat(out + "/d/e/secret").inode()).isEqualTo(secret.inode());
        assertThat(Posix.lstat("/etc/passwd").mode() & 07777).isEqualTo(0644);
        assertThat(Posix.lstat(modes.toString()).gid()).isEqualTo(SHARED_GROUP);
    }

    private static int trueMode(TrueModes modes, String path) throws IOException {
        var stat = Posix.lstat(path);
        int mode = (int) stat.mode() & 07777;
        return modes.trueMode(stat.device(), stat.inode(), mode).orElse(mode);
    }

    @Test
    void whatCannotBeHandedOverIsNamed() throws Exception {
        runnerOfAnotherUser();
        var out = Files.createDirectory(folder.resolve("out"));
        share(out, 02770);
        var foreign = Files.createDirectory(out.resolve("foreign"));
        Files.createFile(foreign.resolve("x"));
        Files.setPosixFilePermissions(foreign, PosixFilePermissions.fromString("rwx------"));
        assertThatThrownBy(() -> steps.server
                        .handOver(any, List.of(out.toString()), folder + "/modes")
                        .get())
                .hasMessageContaining("the step runner cannot read " + foreign + ": Permission denied");
        assertThatThrownBy(() -> steps.server
                        .handOver(any, List.of(out.toString()), "/nowhere/modes")
                        .get())
                .hasMessageContaining("/nowhere/modes");
        assertThatThrownBy(
                        () -> steps.server.clean(any, List.of(out.toString())).get())
                .hasMessageContaining("the step runner cannot remove " + foreign);
    }

    @Test
    void ownFoldersNeedNoHandingOver() throws Exception {
        ownRunner();
        var out = Files.createDirectory(folder.resolve("out"));
        Files.setPosixFilePermissions(Files.createFile(out.resolve("x")), PosixFilePermissions.fromString("rw-------"));
        steps.server.handOver(any, List.of(out.toString()), folder + "/modes").get();
        assertThat(folder.resolve("modes")).doesNotExist();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(out.resolve("x"))))
                .isEqualTo("rw-------");
    }

    @Test
    @DisplayName("R1 what a dead attempt left is removed by its owner, whatever its modes; the folders stay")
    void cleans() throws Exception {
        runnerOfAnotherUser();
        var work = Files.createDirectory(folder.resolve("work"));
        share(work, 02770);
        Files.writeString(folder.resolve("kept"), "kept");
        var id = steps.submit("s", "sh", "-c", """
                cd work; mkdir -p a/b/c; touch a/b/c/x 'odd
                name'; ln -s ../../kept a/link; ln -s .. a/b/up; chmod 000 a/b/c; chmod 500 a/b; mkfifo p; chmod 100 a
                """);
        assertThat(steps.heard.end(id).exit()).as(steps.heard.end(id).logTail()).isZero();
        steps.server.clean(id, List.of(work.toString(), folder + "/absent")).get();
        assertThat(work).isEmptyDirectory();
        assertThat(folder.resolve("kept")).hasContent("kept");
        steps.server.clean(id, List.of(work.toString())).get();
        assertThatThrownBy(() -> steps.server.clean(id, List.of("relative")).get())
                .hasMessageContaining("cannot open relative");
        assertThatThrownBy(() -> steps.server.clean(id, List.of("/")).get()).hasMessageContaining("cannot open /");
    }

    @Test
    void cleansFoldersDeeperThanAnyPath() throws Exception {
        ownRunner();
        var work = Files.createDirectory(folder.resolve("work"));
        var at = Posix.openFolder(null, work.toString());
        for (int depth = 0; depth < 3000; depth++) {
            Posix.mkdirat(at, "dddddddd", 0700);
            var below = Posix.openFolder(at, "dddddddd");
            at.close();
            at = below;
        }
        at.close();
        steps.server.clean(any, List.of(work.toString())).get();
        assertThat(work).isEmptyDirectory();
    }

    @Test
    void cleansManyFilesWhileCommandsRun() throws Exception {
        ownRunner();
        var work = Files.createDirectory(folder.resolve("work"));
        assertThat(steps.run("cd work; mkdir a b; cd a; seq 1 4000 | xargs touch; cd ../b; seq 1 4000 | xargs touch")
                        .success())
                .isTrue();
        var cleaned = steps.server.clean(any, List.of(work.toString()));
        assertThat(steps.run("exit 3").exit()).isEqualTo(3);
        cleaned.get();
        assertThat(work).isEmptyDirectory();
    }
}
