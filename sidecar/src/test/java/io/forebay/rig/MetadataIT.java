package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.Stat;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** docs/metadata.md is true. */
class MetadataIT extends RigTest {
    private static final long TIME = 1_500_000_000_123_456_789L;
    /** Below the folder that it is started in. */
    /** Without the step runner only root can read a folder that is closed to its owner. */
    private static final int CLOSED = Files.isReadable(Path.of("/proc/1/environ")) ? 0 : 0500;

    private static final String MAKE = """
            echo x > plain; chmod 0640 plain
            echo x > program; chmod 4755 program
            echo x > group; chmod 2755 group
            echo x > sticky; chmod 1644 sticky
            echo x > one; ln one two
            ln -s plain link
            truncate -s 64M sparse; printf x >> sparse
            mkdir private; chmod 0700 private; echo x > private/file
            mkdir closed; chmod %o closed
            mkdir own; chmod 1750 own
            touch -d '2017-07-14 02:40:00.123456789 UTC' plain closed
            """.formatted(CLOSED);

    private static Stat stat(Path path) throws Exception {
        return Posix.lstat(path.toString());
    }

    private static int mode(Path path) throws Exception {
        return stat(path).permissions();
    }

    private static void sh(Path folder, String script) throws Exception {
        Files.createDirectories(folder);
        assertThat(new ProcessBuilder("sh", "-ec", "umask 022\n" + script)
                        .directory(folder.toFile())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    /** What holds at every place that is a file system. */
    private static void isAsDocumented(Path at) throws Exception {
        assertThat(mode(at.resolve("plain"))).isEqualTo(0640);
        assertThat(stat(at.resolve("plain")).mtimeNanos()).isEqualTo(TIME);
        assertThat(mode(at.resolve("program"))).as("no set-user-id").isEqualTo(0755);
        assertThat(mode(at.resolve("group"))).as("no set-group-id").isEqualTo(0755);
        assertThat(stat(at.resolve("one")).inode())
                .as("files of their own")
                .isNotEqualTo(stat(at.resolve("two")).inode());
        assertThat(Files.readSymbolicLink(at.resolve("link"))).hasToString("plain");
        assertThat(stat(at.resolve("sparse")).size()).isEqualTo((64L << 20) + 1);
        assertThat(stat(at.resolve("sparse")).allocatedBytes()).isLessThan(2 << 20);
        assertThat(mode(at.resolve("private")))
                .as("a folder with something in it")
                .isEqualTo(0755);
        assertThat(mode(at.resolve("private/file"))).isEqualTo(0644);
    }

    private static void emptyFoldersAreAsDocumented(Path at, int own) throws Exception {
        assertThat(mode(at.resolve("closed"))).isEqualTo(CLOSED);
        assertThat(stat(at.resolve("closed")).mtimeNanos()).isEqualTo(TIME);
        assertThat(mode(at.resolve("own"))).isEqualTo(own);
    }

    @Test
    @DisplayName("N6 N7 N9 outputs of a job, then staged in: modes, times, links, holes and folders are as documented")
    void outputsAndStageIn() throws Exception {
        rig.input("a", "x");
        rig.job("cd \"$FOREBAY_OUT\"; umask 022\n" + MAKE);
        var staged = rig.home().resolve("staged");

        var ran = rig.run();
        var copied = rig.command("stage-in", rig.results() + "/", staged.toString());

        assertThat(ran.exit()).as(ran.all()).isZero();
        isAsDocumented(rig.results());
        assertThat(mode(rig.results().resolve("sticky"))).isEqualTo(01644);
        emptyFoldersAreAsDocumented(rig.results(), 01750);
        assertThat(copied.exit()).as(copied.all()).isZero();
        isAsDocumented(staged);
        assertThat(mode(staged.resolve("sticky"))).isEqualTo(0644);
        emptyFoldersAreAsDocumented(staged, 0750);
        Posix.fchmodat(null, staged.resolve("own").toString(), 0711);
        assertThat(rig.command("stage-in", rig.results() + "/", staged.toString())
                        .exit())
                .isZero();
        assertThat(mode(staged.resolve("own")))
                .as("one that exists stays as it is")
                .isEqualTo(0711);
    }

    @Test
    @DisplayName("N6 N7 a folder flushed to S3 and staged in again: as documented")
    void toS3AndBack() throws Exception {
        var from = rig.home().resolve("from");
        sh(from, MAKE);
        var back = rig.home().resolve("back");
        try (var s3 = Shelf.Bucket.ofS3Proxy(rig.home().resolve("s3"))) {
            s3.environment().forEach(rig::environment);
            var flushed = rig.command(
                    "flush", "--endpoint", s3.endpoint(), "--region", "us-east-1", from.toString(), s3.uri("out"));
            var staged = rig.command(
                    "stage-in", "--endpoint", s3.endpoint(), "--region", "us-east-1", s3.uri("out"), back.toString());

            assertThat(flushed.exit()).as(flushed.all()).isZero();
            assertThat(staged.exit()).as(staged.all()).isZero();
            isAsDocumented(back);
            assertThat(mode(back.resolve("sticky"))).isEqualTo(0644);
            assertThat(back.resolve("closed")).isDirectory();
        }
    }
}
