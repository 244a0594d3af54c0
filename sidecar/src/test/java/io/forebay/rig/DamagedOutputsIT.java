package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs that lie in the buffer from one life to the next, and are not what they were: never published, made again or told by name. */
class DamagedOutputsIT extends RigTest {
    /** Sent with the publication. */
    private static final int SMALL = 300_000;
    /** Sent before the coordinator is asked. */
    private static final int LARGE = 9 << 20;

    private byte[] content(int i, int bytes) {
        var content = new byte[bytes];
        new Random(i).nextBytes(content);
        return content;
    }

    private void items(int count, int bytes) {
        for (int i = 0; i < count; i++) {
            rig.input("f%02d".formatted(i), content(i, bytes));
        }
    }

    /** Each item leaves its input twice. */
    private void job(ScriptedS3 s3, String more) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        rig.job(
                "echo $FOREBAY_NAME >> \"" + rig.home().resolve("ran")
                        + "\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/$FOREBAY_NAME.a\""
                        + "; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/$FOREBAY_NAME.b\"" + more,
                "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                "  outputs: [{name: out, path: '**', to: 's3://bucket/out/'}]",
                "  records: file://" + rig.results() + "/.forebay/",
                "  buffer: {tiers: [{medium: Disk, size: 512Mi}]}");
    }

    private static void deny(ScriptedS3 s3) {
        s3.on(
                r -> !r.method().equals("GET") && r.key().startsWith("out/"),
                (r, good) -> Answer.error(403, "AccessDenied"));
    }

    /** A file that is kept. */
    private Path kept(String name) throws IOException {
        try (Stream<Path> walk = Files.walk(rig.home().resolve("disk"))) {
            return walk.filter(p -> p.endsWith(Path.of("out", name)))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(name + " is not kept"));
        }
    }

    private static void flip(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
    }

    private static void truncate(Path file) throws IOException {
        try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
    }

    private JobRig.Result resume() throws Exception {
        return rig.command("resume", rig.home().resolve("job.yaml").toString());
    }

    private void assertAllRight(ScriptedS3 s3, int items, int bytes) {
        assertThat(s3.objects().keys()).hasSize(2 * items);
        for (int i = 0; i < items; i++) {
            for (var end : List.of("a", "b")) {
                var key = "out/f%02d.%s".formatted(i, end);
                var object = s3.objects().get(key);
                assertThat(object).as(key).isNotNull();
                assertThat(object.content()).as(key).isEqualTo(content(i, bytes));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, LARGE})
    @DisplayName(
            "D1 kept outputs are flipped, cut, made longer, deleted, replaced by a link, given company, other rights: none is published, the items run again, exit 0")
    void damagedOnesAreMadeAgain(int bytes) throws Exception {
        keepsBuffer = true;
        items(9, bytes);
        try (var s3 = ScriptedS3.start("bucket")) {
            deny(s3);
            job(s3, "");
            var first = rig.run();
            assertThat(first.exit()).as(first.all()).isEqualTo(74);
            assertThat(unexported()).hasSize(18);
            assertThat(lines("ran")).hasSize(9);

            flip(kept("f00.b"));
            truncate(kept("f01.a"));
            Files.write(kept("f02.a"), new byte[] {1}, StandardOpenOption.APPEND);
            Files.delete(kept("f03.b"));
            var linked = kept("f04.a");
            Files.delete(linked);
            Files.createSymbolicLink(linked, rig.inputs().resolve("f04"));
            Files.writeString(kept("f05.a").resolveSibling("f05.c"), "new");
            Files.setPosixFilePermissions(
                    kept("f06.a"), java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-x---"));
            s3.behave();
            var resumed = resume();

            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertAllRight(s3, 9, bytes);
            var again = new TreeSet<>(lines("ran").subList(9, lines("ran").size()));
            assertThat(again)
                    .as("the two that nobody touched are not run again, unless the company was never on record")
                    .contains("f00", "f01", "f02", "f03", "f04")
                    .doesNotContain("f07", "f08");
            assertThat(resumed.all())
                    .contains("of item f00 is not trusted: f00.b has other bytes")
                    .contains("of item f01 is not trusted: f01.a has 0 bytes instead of " + bytes)
                    .contains("of item f03 is not trusted: f03.b is not there any more")
                    .contains("the item is run again");
            assertThat(unexported()).isEmpty();
            keepsBuffer = false;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, LARGE})
    @DisplayName(
            "D1 a kept output is damaged and its input is gone: not published, the item fails by name, the list says damaged, the data stay; with the input back the next run does it")
    void damagedAndNothingToMakeItOf(int bytes) throws Exception {
        keepsBuffer = true;
        items(3, bytes);
        try (var s3 = ScriptedS3.start("bucket")) {
            deny(s3);
            job(s3, "");
            assertThat(rig.run().exit()).isEqualTo(74);

            flip(kept("f01.a"));
            var input = rig.inputs().resolve("f01");
            var aside = Files.move(input, rig.home().resolve("aside"), StandardCopyOption.ATOMIC_MOVE);
            s3.behave();
            var resumed = resume();

            assertThat(resumed.exit()).as(resumed.all()).isEqualTo(74);
            assertThat(s3.objects().keys()).hasSize(4).noneMatch(k -> k.contains("f01"));
            assertThat(resumed.all()).contains("of item f01").contains("f01.a has other bytes");
            assertThat(unexported()).hasSize(2).allMatch(l -> l.contains("damaged: f01.a has other bytes"));
            assertThat(kept("f01.b")).hasBinaryContent(content(1, bytes));

            Files.move(aside, input, StandardCopyOption.ATOMIC_MOVE);
            var last = rig.run();
            assertThat(last.exit()).as(last.all()).isZero();
            assertAllRight(s3, 3, bytes);
            keepsBuffer = false;
        }
    }

    /** Killed when all has been computed and nothing sent. */
    private void killedBeforeTheFlush(ScriptedS3 s3, int items, CountDownLatch hang) throws Exception {
        s3.on(r -> !r.method().equals("GET") && r.key().startsWith("out/"), (r, good) -> {
            hang.await(60, TimeUnit.SECONDS);
            return Answer.error(503, "SlowDown");
        });
        var run = rig.startRun();
        eventually("all is computed, and being sent", () -> {
            try {
                return lines("ran").size() == items
                        && s3.count(r -> !r.method().equals("GET") && r.key().startsWith("out/")) >= items;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        run.destroyForcibly().waitFor();
        hang.countDown();
        s3.behave();
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, LARGE})
    @DisplayName(
            "C6 killed with computed outputs, then the machine is another life's and some are empty: nothing empty is published, exit 0")
    void afterAnotherBoot(int bytes) throws Exception {
        items(4, bytes);
        try (var s3 = ScriptedS3.start("bucket")) {
            job(s3, "");
            killedBeforeTheFlush(s3, 4, new CountDownLatch(1));
            truncate(kept("f00.a"));
            truncate(kept("f02.b"));

            rig.restarted("another-life");
            var resumed = resume();

            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertAllRight(s3, 4, bytes);
        }
    }

    @Test
    @DisplayName(
            "C1 killed with computed outputs, and the machine goes on: they are published as they are, no command runs twice")
    void afterAKill() throws Exception {
        items(4, LARGE);
        try (var s3 = ScriptedS3.start("bucket")) {
            job(s3, "");
            killedBeforeTheFlush(s3, 4, new CountDownLatch(1));

            var resumed = resume();

            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertAllRight(s3, 4, LARGE);
            assertThat(lines("ran")).hasSize(4);
        }
    }

    private static void command(String... command) throws Exception {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS))
                .as(String.join(" ", command))
                .isTrue();
        assertThat(process.exitValue())
                .as(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isZero();
    }

    private static boolean canMount(Path image, Path folder) {
        try {
            command("truncate", "-s", "256M", image.toString());
            command("mkfs.ext4", "-q", image.toString());
            command("mount", "-o", "loop", image.toString(), folder.toString());
            return true;
        } catch (Exception | AssertionError e) {
            return false;
        }
    }

    @Test
    @DisplayName(
            "C6 power cut with a disk tier on a real ext4: the journal has the steps' ends, the outputs have names and no bytes; nothing empty is published, exit 0")
    void powerCut() throws Exception {
        items(6, SMALL);
        var image = rig.home().resolve("ext4.img");
        var disk = rig.home().resolve("disk");
        assumeTrue(
                canMount(image, disk),
                "left out: a file system of its own needs root, mkfs.ext4, mount(8) and a loop device");
        var mounted = new ArrayList<>(List.of(disk));
        try (var s3 = ScriptedS3.start("bucket")) {
            // The names are made durable, the bytes are not.
            job(s3, "; sync \"$FOREBAY_OUT\"");
            s3.on(r -> !r.method().equals("GET") && r.key().startsWith("out/"), (r, good) -> Answer.hang());
            var run = rig.startRun();
            eventually("all is computed", () -> {
                try {
                    return lines("ran").size() == 6
                            && s3.count(r ->
                                            !r.method().equals("GET") && r.key().startsWith("out/"))
                                    >= 6;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            var cut = rig.home().resolve("cut.img");
            command("cp", "--sparse=always", image.toString(), cut.toString());
            run.destroyForcibly().waitFor();
            command("umount", "-l", disk.toString());
            mounted.clear();
            command("mount", "-o", "loop", cut.toString(), disk.toString());
            mounted.add(disk);
            s3.behave();

            rig.restarted("another-life");
            var resumed = resume();

            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertAllRight(s3, 6, SMALL);
            assertThat(buffers()).isEmpty();
        } finally {
            for (var folder : mounted) {
                command("umount", "-l", folder.toString());
            }
        }
    }
}
