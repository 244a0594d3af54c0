package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A destination that becomes another folder while the job runs: results must not be split over two. */
class ReplacedDestinationIT extends RigTest {
    private static final String REPLACED =
            "is another folder (or file system) now than when the run began: was it unmounted?";

    /** Each item waits for the test, but for the first. */
    private void job(Path results, String... spec) {
        rig.input("a", "first").input("b", "second").input("c", "third");
        var go = rig.home().resolve("go");
        var lines = new java.util.ArrayList<>(List.of(
                "  outputs: [{name: out, path: '**', to: 'file://" + results + "/'}]",
                "  records: file://" + rig.home() + "/records/",
                "  workers: {slots: 3}"));
        lines.addAll(List.of(spec));
        rig.job(
                "[ $FOREBAY_NAME = a ] || while [ ! -e " + go
                        + " ]; do sleep 0.05; done; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                lines.toArray(String[]::new));
    }

    private static List<Path> files(Path folder, Predicate<String> names) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(p -> names.test(p.getFileName().toString())).toList();
        }
    }

    private static boolean command(String... command) throws Exception {
        var process = new ProcessBuilder(command).start();
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    private JobRig.Result resume() throws Exception {
        return rig.command("resume", rig.home().resolve("job.yaml").toString());
    }

    @Test
    @DisplayName(
            "D2 a destination that is renamed and replaced: 74, what remains is kept and listed; put back, resume brings it there")
    void renamedAndReplaced() throws Exception {
        var results = rig.home().resolve("res");
        var away = rig.home().resolve("res.old");
        job(results);
        keepsBuffer = true;
        var run = rig.startRun();
        eventually("the first is published", () -> Files.exists(results.resolve("a")));
        Files.move(results, away);
        Files.createDirectory(results);
        Files.createFile(rig.home().resolve("go"));
        var ended = rig.await(run);
        assertThat(ended.exit()).as(ended.all()).isEqualTo(74);
        assertThat(ended.all()).contains(results + "/ " + REPLACED).contains("NOT exported: ");
        assertThat(results).isEmptyDirectory();
        assertThat(away.resolve("a")).exists();

        Files.delete(results);
        Files.move(away, results);
        var resumed = resume();
        assertThat(resumed.exit()).as(resumed.all()).isZero();
        keepsBuffer = false;
        assertThat(results.resolve("a")).hasContent("first");
        assertThat(results.resolve("b")).hasContent("second");
        assertThat(results.resolve("c")).hasContent("third");
        assertThat(files(results, n -> n.startsWith(".fb-"))).isEmpty();
    }

    @Test
    @DisplayName(
            "D2 a destination that is removed while the job runs is not made anew: 74, and what is in it is named as not done")
    void removed() throws Exception {
        var results = rig.home().resolve("res");
        job(results);
        keepsBuffer = true;
        var run = rig.startRun();
        eventually("the first is published", () -> Files.exists(results.resolve("a")));
        Files.delete(results.resolve("a"));
        Files.delete(results);
        Files.createFile(rig.home().resolve("go"));
        var ended = rig.await(run);
        assertThat(ended.exit()).as(ended.all()).isEqualTo(74);
        assertThat(ended.all()).contains(results + "/ " + REPLACED);
        assertThat(results).doesNotExist();
    }

    @Test
    @DisplayName(
            "D2 a destination that is unmounted while the job runs: 74, nothing lies on the file system below; mounted again, resume goes on")
    void unmounted() throws Exception {
        var mounted = Files.createDirectories(rig.home().resolve("mnt"));
        // Shared by both: what is unmounted is there when it is mounted again.
        var disk = Files.createDirectories(rig.home().resolve("disk-of-results"));
        assumeTrue(
                command("mount", "-t", "tmpfs", "tmpfs", disk.toString()),
                "left out: mounting a file system needs root and mount(8)");
        try {
            assertThat(command("mount", "--bind", disk.toString(), mounted.toString()))
                    .isTrue();
            job(mounted.resolve("res"));
            keepsBuffer = true;
            var run = rig.startRun();
            eventually("the first is published", () -> Files.exists(mounted.resolve("res/a")));
            // The run keeps it busy, which is what protects it from a plain umount.
            assertThat(command("umount", mounted.toString())).isFalse();
            assertThat(command("umount", "-l", mounted.toString())).isTrue();
            Files.createFile(rig.home().resolve("go"));
            var ended = rig.await(run);
            assertThat(ended.exit()).as(ended.all()).isEqualTo(74);
            assertThat(ended.all()).contains(mounted + "/res/ " + REPLACED);
            assertThat(mounted).isEmptyDirectory();

            assertThat(command("mount", "--bind", disk.toString(), mounted.toString()))
                    .isTrue();
            var resumed = resume();
            assertThat(resumed.exit()).as(resumed.all()).isZero();
            keepsBuffer = false;
            assertThat(mounted.resolve("res/b")).hasContent("second");
            assertThat(mounted.resolve("res/c")).hasContent("third");
        } finally {
            command("umount", "-l", mounted.toString());
            command("umount", "-l", disk.toString());
        }
    }

    @Test
    @DisplayName(
            "D2 a destination that is unmounted before the first result comes: nothing is written below its mount point")
    void unmountedBeforeTheFirst() throws Exception {
        var mounted = Files.createDirectories(rig.home().resolve("mnt"));
        assumeTrue(
                command("mount", "-t", "tmpfs", "tmpfs", mounted.toString()),
                "left out: mounting a file system needs root and mount(8)");
        try {
            rig.input("a", "first");
            var go = rig.home().resolve("go");
            var began = rig.home().resolve("began");
            rig.job(
                    "touch " + began + "; while [ ! -e " + go
                            + " ]; do sleep 0.05; done; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                    "  outputs: [{name: out, path: '**', to: 'file://" + mounted + "/deep/res/'}]",
                    "  records: file://" + rig.home() + "/records/");
            keepsBuffer = true;
            var run = rig.startRun();
            eventually(
                    "its step runs, and the destination is looked at",
                    () -> Files.exists(began) && holds(run, mounted));
            assertThat(command("umount", "-l", mounted.toString())).isTrue();
            Files.createFile(go);
            var ended = rig.await(run);
            assertThat(ended.exit()).as(ended.all()).isEqualTo(74);
            assertThat(ended.all()).contains(mounted + "/deep/res/ " + REPLACED);
            try (Stream<Path> below = Files.walk(mounted)) {
                assertThat(below.filter(Files::isRegularFile)).isEmpty();
            }
        } finally {
            command("umount", "-l", mounted.toString());
        }
    }

    private static boolean holds(Process engine, Path folder) {
        try (var fds = Files.newDirectoryStream(Path.of("/proc/" + engine.pid() + "/fd"))) {
            for (var fd : fds) {
                if (Files.isSymbolicLink(fd) && Files.readSymbolicLink(fd).equals(folder)) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    @DisplayName("C7 a records folder that is renamed and replaced: no success, and the message names it")
    void recordsReplaced() throws Exception {
        var results = rig.home().resolve("res");
        job(results);
        keepsBuffer = true;
        var records = rig.home().resolve("records").resolve(rig.name());
        var run = rig.startRun();
        eventually("the first is published", () -> Files.exists(results.resolve("a")));
        Files.move(records, rig.home().resolve("records.old"));
        Files.createDirectory(records);
        Files.createFile(rig.home().resolve("go"));
        var ended = rig.await(run);
        assertThat(ended.exit()).as(ended.all()).isNotZero();
        assertThat(ended.all()).contains(records + " " + REPLACED).doesNotContain("are durable");
    }
}
