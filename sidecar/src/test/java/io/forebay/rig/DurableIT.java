package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Success means durable: the whole command, against destinations that refuse, lie and fill up. */
class DurableIT extends RigTest {

    private String[] toS3(ScriptedS3 s3) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        return new String[] {
            "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
            "  outputs: [{name: out, path: '**', to: 's3://bucket/out/'}]",
            "  records: file://" + rig.results() + "/.forebay/",
            "  retry: {item: 0}"
        };
    }

    @Test
    @DisplayName(
            "D1 C7 the store answers 403 to every PUT after all commands ran: exit 74, every output listed, data kept; resume finishes when it may")
    void everyPutDenied() throws Exception {
        keepsBuffer = true;
        for (int i = 0; i < 5; i++) {
            rig.input("f" + i, "v" + i);
        }
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> r.method().equals("PUT"), (r, good) -> {
                eventually("all commands run", () -> ran().size() == 5);
                return Answer.error(403, "AccessDenied");
            });
            rig.job(
                    "echo ran >> \"" + rig.home().resolve("ran") + "\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                    toS3(s3));

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            assertThat(result.all()).contains("403").contains("AccessDenied");
            assertThat(unexported()).hasSize(5);
            assertThat(result.out()).contains("5 outputs");

            s3.behave();
            var resumed = rig.command("resume", rig.home().resolve("job.yaml").toString());
            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertThat(s3.objects().get("out/f3").content()).isEqualTo("v3".getBytes());
            assertThat(ran())
                    .as("C7 the commands do not run again: " + result.all() + resumed.all())
                    .hasSize(5);
            keepsBuffer = false;
        }
    }

    private List<String> ran() {
        try {
            return lines("ran");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("D4 one of 20 output keys is denied: 19 published, exit 74, 1 listed")
    void oneDenied() throws Exception {
        keepsBuffer = true;
        for (int i = 0; i < 20; i++) {
            rig.input("f" + i, "v" + i);
        }
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> r.is("PUT", "out/f0"), (r, good) -> Answer.error(403, "AccessDenied"));
            rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"", toS3(s3));

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            assertThat(unexported()).hasSize(1).first().asString().contains("out/f0");
            for (int i = 1; i < 20; i++) {
                assertThat(s3.objects().get("out/f" + i)).as("f%d", i).isNotNull();
            }
        }
    }

    @Test
    @DisplayName("D5 1 bit of every third upload flips on its way: found, sent again, exit 0, right bytes")
    void flipped() throws Exception {
        for (int i = 0; i < 9; i++) {
            rig.input("f" + i, "the value of file " + i);
        }
        try (var s3 = ScriptedS3.start("bucket")) {
            var n = new java.util.concurrent.atomic.AtomicInteger();
            s3.on(
                    r -> r.isData("PUT") && n.incrementAndGet() % 3 == 0,
                    (r, good) -> good.answer(r.withBody(flip(r.body()))));
            rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"", toS3(s3));

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isZero();
            for (int i = 0; i < 9; i++) {
                assertThat(new String(s3.objects().get("out/f" + i).content())).isEqualTo("the value of file " + i);
            }
        }
    }

    private static byte[] flip(byte[] body) {
        var other = body.clone();
        if (other.length > 0) {
            other[other.length / 2] ^= 1;
        }
        return other;
    }

    @Test
    @DisplayName("D2 no room at the destination: exit 74, no partial file there, listed with bytes needed and free")
    void destinationFull() throws Exception {
        var small = rig.home().resolve("small");
        org.junit.jupiter.api.Assumptions.assumeTrue(
                mounted(small), "left out: a small file system needs root and mount(8)");
        try {
            keepsBuffer = true;
            rig.input("big", "x");
            rig.job(
                    "head -c 20000000 /dev/urandom > \"$FOREBAY_OUT/big\"",
                    "  retry: {item: 0}",
                    "  outputs: [{name: out, path: '**', to: 'file://" + small + "/'}]",
                    "  records: file://" + rig.results() + "/.forebay/");

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            assertThat(result.all())
                    .containsAnyOf("ENOSPC", "no space", "No space")
                    .contains("free");
            assertThat(small.resolve("big")).doesNotExist();
            try (var names = Files.list(small)) {
                assertThat(names.filter(p -> p.getFileName().toString().startsWith(".fb-")))
                        .isEmpty();
            }
            assertThat(unexported()).hasSize(1);
        } finally {
            new ProcessBuilder("umount", small.toString()).start().waitFor(10, TimeUnit.SECONDS);
        }
    }

    private static boolean mounted(Path folder) throws Exception {
        Files.createDirectories(folder);
        var mount = new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder.toString()).start();
        return mount.waitFor(10, TimeUnit.SECONDS) && mount.exitValue() == 0;
    }

    @Test
    @DisplayName("D6 verify names a destination file that got other bytes of the same size, and exits 74")
    void verifyFinds() throws Exception {
        rig.input("a", "hello").input("b", "world");
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        assertThat(rig.run().exit()).isZero();
        var manifest = rig.home().resolve("job.yaml").toString();
        assertThat(rig.command("verify", manifest).exit()).isZero();

        Files.writeString(rig.results().resolve("b"), "wORLd");

        var result = rig.command("verify", manifest);
        assertThat(result.exit()).isEqualTo(74);
        assertThat(result.out()).contains("results/b").doesNotContain("results/a ");
    }

    @Test
    @DisplayName(
            "D6 N5 verify names a symbolic link that leads elsewhere now, and an empty folder that is a file or is gone")
    void verifyFindsLinksAndFolders() throws Exception {
        rig.input("a", "x");
        rig.job(
                "mkdir \"$FOREBAY_OUT/void\" \"$FOREBAY_OUT/gone\"; ln -s a \"$FOREBAY_OUT/link\"; ln -s a \"$FOREBAY_OUT/plain\"");
        assertThat(rig.run().exit()).isZero();
        var manifest = rig.home().resolve("job.yaml").toString();
        var whole = rig.command("verify", manifest);
        assertThat(whole.exit()).as(whole.all()).isZero();
        assertThat(whole.out()).contains("4 outputs");

        Files.delete(rig.results().resolve("link"));
        Files.createSymbolicLink(rig.results().resolve("link"), Path.of("b"));
        Files.delete(rig.results().resolve("plain"));
        Files.writeString(rig.results().resolve("plain"), "a");
        Files.delete(rig.results().resolve("void"));
        Files.writeString(rig.results().resolve("void"), "");
        Files.delete(rig.results().resolve("gone"));

        var result = rig.command("verify", manifest);
        assertThat(result.exit()).isEqualTo(74);
        assertThat(result.out())
                .contains("4 differ")
                .contains("a symbolic link to b, its record says a symbolic link to a")
                .contains("results/plain", "results/void", "results/gone");
    }

    @Test
    @DisplayName(
            "D6 N5 verify of symbolic links and empty folders that are objects: as recorded, then one leads elsewhere")
    void verifyFindsLinksInS3() throws Exception {
        rig.input("a", "x");
        try (var s3 = ScriptedS3.start("bucket")) {
            var script = "mkdir \"$FOREBAY_OUT/void\"; ln -s %s \"$FOREBAY_OUT/link\"";
            rig.job(script.formatted("a"), toS3(s3));
            assertThat(rig.run().exit()).isZero();
            var manifest = rig.home().resolve("job.yaml").toString();
            var whole = rig.command("verify", manifest);
            assertThat(whole.exit()).as(whole.all()).isZero();
            assertThat(whole.out()).contains("2 outputs");

            var link = s3.objects().get("out/link");
            s3.objects().put("out/link", link.content());

            var result = rig.command("verify", manifest);
            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            assertThat(result.out()).contains("out/link").contains("1 differ");
        }
    }

    @Test
    @DisplayName(
            "D8 killed with half an output written: Success is not published and the older file stays; Failure and Always are")
    void killedHalfWay() throws Exception {
        rig.input("a", "x");
        Files.createDirectories(rig.results());
        Files.writeString(rig.results().resolve("half"), "older");
        rig.job(
                "printf new > \"$FOREBAY_OUT/half\"; printf log > \"$FOREBAY_OUT/log\"; kill -9 $$$$",
                "  retry: {item: 0}",
                """
                  outputs:
                  - {name: out, path: half, to: 'file://%1$s/'}
                  - {name: log, path: log, to: 'file://%1$s/failed/', when: Failure}
                  - {name: all, path: log, to: 'file://%1$s/all/', when: Always}
                """.stripTrailing().formatted(rig.results()));

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(result.all()).contains("signal 9");
        assertThat(rig.published())
                .containsOnly(
                        java.util.Map.entry("half", "older"),
                        java.util.Map.entry("failed/log", "log"),
                        java.util.Map.entry("all/log", "log"));
    }

    @Test
    @DisplayName("D9 onItemFailure: Stop starts no further item after the first failure")
    void stop() throws Exception {
        for (int i = 0; i < 30; i++) {
            rig.input("f%02d".formatted(i), "v");
        }
        rig.job(
                "echo ran >> \"" + rig.home().resolve("ran") + "\"; [ $FOREBAY_NAME != f00 ]",
                "  retry: {item: 0}",
                "  onItemFailure: Stop",
                "  workers: {slots: 1}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(lines("ran").size()).isLessThan(30);
    }

    @Test
    @DisplayName("D1 the records are deleted while the job runs: never success; the next run does it again")
    void recordsDeleted() throws Exception {
        keepsBuffer = true;
        rig.input("a", "v");
        rig.job("rm -rf '" + rig.records() + "'; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        var result = rig.run();
        assertThat(result.exit()).as(result.all()).isIn(74, 75);
        assertThat(result.all()).contains("was removed while the job ran").doesNotContain("are durable");
    }
}
