package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code verify: ReadBack}, the whole command: somebody else writes to what is on its way, or the server returns something else. */
class ReadBackIT extends RigTest {
    private static final int SIZE = 3_000_000;

    private List<Path> temporaries() {
        var found = new ArrayList<Path>();
        if (!Files.isDirectory(rig.results())) {
            return found;
        }
        try (DirectoryStream<Path> names = Files.newDirectoryStream(rig.results(), ".fb-*")) {
            names.forEach(found::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** @return false: it was gone */
    private static boolean damage(Path file) {
        if (!Files.exists(file)) {
            return false;
        }
        try (var open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(SIZE / 2);
            open.write("damage".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            return Files.exists(file);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean closed(Process engine, Path file) {
        try (var fds = Files.newDirectoryStream(Path.of("/proc/" + engine.pid() + "/fd"))) {
            for (var fd : fds) {
                try {
                    if (Files.readSymbolicLink(fd).equals(file)) {
                        return false;
                    }
                } catch (IOException e) {
                    // closed meanwhile
                }
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void outputs(String script, String rule) {
        rig.job(script, "  outputs: [{name: out, path: '**', verify: ReadBack, " + rule + "}]");
    }

    @Test
    @DisplayName(
            "D5 ReadBack: an outside writer damages each temporary file at the destination once: what is published is right")
    void outsideWriter() throws Exception {
        for (int i = 0; i < 8; i++) {
            rig.input("f" + i, String.valueOf((char) ('a' + i)).repeat(SIZE));
        }
        outputs("cat \"$FOREBAY_INPUT\" > \"$FOREBAY_OUT/$FOREBAY_NAME\"", "to: 'file://" + rig.results() + "/'");
        Files.createDirectories(rig.results());
        var run = rig.startRun();
        Set<Path> struck = new HashSet<>();
        while (run.isAlive()) {
            for (var file : temporaries()) {
                if (!struck.contains(file) && damage(file)) {
                    struck.add(file);
                }
            }
        }
        var ended = rig.await(run);
        assertThat(struck).as("temporary files that were damaged").isNotEmpty();
        assertThat(ended.exit()).as(ended.all()).isIn(0, 74);
        keepsBuffer = ended.exit() != 0;
        rig.published()
                .forEach((name, content) -> assertThat(
                                content.equals(String.valueOf((char) ('a' + name.charAt(1) - '0'))
                                        .repeat(SIZE)))
                        .as(name + " is right")
                        .isTrue());
        if (ended.exit() == 0) {
            assertThat(rig.published()).hasSize(8);
        }
    }

    @Test
    @DisplayName(
            "D5 ReadBack: what was staged early and is damaged before the commit is not published; the item is done again")
    void damagedAfterEarlyStaging() throws Exception {
        rig.input("f", "content");
        var go = rig.home().resolve("go");
        outputs(
                "head -c " + SIZE + " /dev/zero | tr '\\0' x > \"$FOREBAY_OUT/result\"; while [ ! -e " + go
                        + " ]; do sleep 0.1; done",
                "to: 'file://" + rig.results() + "/'");
        var run = rig.startRun();
        eventually(
                "it is staged early",
                () -> !temporaries().isEmpty()
                        && temporaries().getFirst().toFile().length() == SIZE);
        var staged = temporaries().getFirst();
        eventually("it is sealed", () -> closed(run, staged));
        assertThat(damage(staged)).isTrue();
        Files.createFile(go);
        var ended = rig.await(run);
        assertThat(ended.exit()).as(ended.all()).isZero();
        assertThat(rig.published().get("result")).isEqualTo("x".repeat(SIZE));
    }

    @Test
    @DisplayName(
            "D5 ReadBack: a server that proves what it receives and returns other bytes, once: written again; always: 74, never done")
    void serverReturnsOtherBytes() throws Exception {
        rig.input("f", "content of f");
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        try (var s3 = ScriptedS3.start("bucket")) {
            rig.job(
                    "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/$FOREBAY_NAME\"",
                    "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                    "  outputs: [{name: out, path: '**', to: 's3://bucket/out/', verify: ReadBack}]",
                    "  records: file://" + rig.results() + "/.forebay/");
            var once = otherBytes(s3, 1);
            var ran = rig.run();
            assertThat(ran.exit()).as(ran.all()).isZero();
            assertThat(once.struck()).isEqualTo(1);
            assertThat(s3.count(r -> r.isData("PUT"))).isEqualTo(2);

            keepsBuffer = true;
            otherBytes(s3, Integer.MAX_VALUE);
            var never = rig.run("--fresh");
            assertThat(never.exit()).as(never.all()).isEqualTo(74);
            assertThat(unexported()).hasSize(1);
        }
    }

    @Test
    @DisplayName("D5 flush --read-back: what comes back with other bytes is written again; always: 74, by name")
    void flushed() throws Exception {
        var folder = Files.createDirectories(rig.home().resolve("copy"));
        Files.writeString(folder.resolve("f"), "content of f");
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        try (var s3 = ScriptedS3.start("bucket")) {
            String[] flush = {
                "flush",
                "--read-back",
                "--endpoint",
                s3.endpoint().toString(),
                "--region",
                "us-east-1",
                folder.toString(),
                "s3://bucket/out/"
            };
            var once = otherBytes(s3, 1);
            var flushed = rig.command(flush);
            assertThat(flushed.exit()).as(flushed.all()).isZero();
            assertThat(once.struck()).isEqualTo(1);
            assertThat(s3.count(r -> r.isData("PUT"))).isEqualTo(2);

            otherBytes(s3, Integer.MAX_VALUE);
            var never = rig.command(flush);
            assertThat(never.exit()).as(never.all()).isEqualTo(74);
            assertThat(never.all()).contains("s3://bucket/out/f");
        }
    }

    private static ScriptedS3.Rule otherBytes(ScriptedS3 s3, int times) {
        return s3.on(
                r -> r.isData("GET"),
                (r, s) -> {
                    var good = s.answer(r);
                    var bytes = good.body().clone();
                    bytes[0] ^= 1;
                    return ScriptedS3.Answer.of(good.status(), good.headers(), bytes);
                },
                times);
    }
}
