package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.rig.JobRig.Result;
import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.nio.file.Files;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What verify says of items that are not done, or that the job no longer has. */
class VerifyIT extends RigTest {
    private String manifest() {
        return rig.home().resolve("job.yaml").toString();
    }

    private Result verify(String... options) throws Exception {
        var args = new java.util.ArrayList<>(java.util.List.of("verify"));
        args.addAll(java.util.List.of(options));
        args.add(manifest());
        return rig.command(args.toArray(String[]::new));
    }

    @Test
    @DisplayName(
            "D6 items whose publishing failed are told as not exported, not as damaged: verify asks for resume, and counts what is done")
    void unexportedIsNotDamaged() throws Exception {
        keepsBuffer = true;
        for (var name : java.util.List.of("bad1", "bad2", "good1", "good2", "good3")) {
            rig.input(name, "content of " + name);
        }
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        try (var s3 = ScriptedS3.start("bucket")) {
            // Decided, and one of its two outputs published.
            s3.on(
                    r -> !r.method().equals("GET") && r.key().startsWith("out/z-bad"),
                    (r, good) -> Answer.error(403, "AccessDenied"));
            rig.job(
                    "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/a-$FOREBAY_NAME\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/z-$FOREBAY_NAME\"",
                    "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                    "  outputs: [{name: out, path: '**', to: 's3://bucket/out/'}]",
                    "  records: file://" + rig.results() + "/.forebay/");
            var ran = rig.run();
            assertThat(ran.exit()).as(ran.all()).isEqualTo(74);

            var verified = verify();

            assertThat(verified.exit()).as(verified.all()).isEqualTo(74);
            assertThat(verified.out())
                    .contains("6 outputs of 3 records verified", "; 0 differ")
                    .contains("2 items are not exported: finish with forebay resume " + manifest())
                    .doesNotContain("it is gone")
                    .doesNotContain("--redo");
            assertThat(verify("--redo").out()).doesNotContain("done again");

            s3.behave();
            var resumed = rig.command("resume", manifest());
            assertThat(resumed.exit()).as(resumed.all()).isZero();
            var again = verify();
            assertThat(again.exit()).as(again.all()).isZero();
            assertThat(again.out()).contains("10 outputs of 5 records verified").doesNotContain("not exported");
            keepsBuffer = false;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "D6 an object whose bytes are not those of the server's own checksum, or that is shorter than recorded, differs: --redo mends it")
    void damagedObject(boolean shorter) throws Exception {
        rig.input("a", "content of a").input("b", "content of b");
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        try (var s3 = ScriptedS3.start("bucket")) {
            rig.job(
                    "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/$FOREBAY_NAME\"",
                    "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                    "  outputs: [{name: out, path: '**', to: 's3://bucket/out/'}]",
                    "  records: file://" + rig.results() + "/.forebay/");
            assertThat(rig.run().exit()).isZero();
            s3.on(r -> r.key().equals("out/a") && (r.isData("GET") || r.method().equals("HEAD")), (r, s) -> {
                var good = s.answer(r);
                var headers = new java.util.TreeMap<>(good.headers());
                var body = good.body().clone();
                if (shorter) {
                    headers.replaceAll((k, v) -> k.equalsIgnoreCase("content-length") ? "5" : v);
                    body = java.util.Arrays.copyOf(body, Math.min(body.length, 5));
                } else if (body.length > 0) {
                    body[0] ^= 1;
                }
                return Answer.of(good.status(), headers, body);
            });

            var verified = verify();

            assertThat(verified.exit()).as(verified.all()).isEqualTo(74);
            assertThat(verified.all()).contains("1 differ", "s3://bucket/out/a").doesNotContain("cannot be read");
            assertThat(verify("--redo").out()).contains("1 item will be done again");
            s3.behave();
            var again = rig.run();
            assertThat(again.exit()).as(again.all()).isZero();
            assertThat(verify().exit()).isZero();
        }
    }

    @Test
    @DisplayName(
            "D6 an item found damaged whose input is no longer selected is told as one that no run makes again, and is no failure for ever")
    void damagedAndDropped() throws Exception {
        rig.input("a", "one").input("b", "two");
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        assertThat(rig.run().exit()).isZero();
        Files.delete(rig.results().resolve("a"));
        assertThat(verify("--redo").out()).contains("1 item will be done again");
        Files.delete(rig.inputs().resolve("a"));
        assertThat(verify().out()).contains("1 item found damaged before, and not done again yet");
        assertThat(rig.run().exit()).isZero();

        var verified = verify();

        assertThat(verified.exit()).as(verified.all()).isZero();
        assertThat(verified.out())
                .contains("1 output of 1 record verified")
                .contains("1 item found damaged or not exported before")
                .contains("no run makes it again")
                .doesNotContain("forebay resume");
    }

    @Test
    @DisplayName(
            "Z1 a run that ends in planning is told by status as ended, with its code and cause; verify says that nothing was planned")
    void endedInPlanning() throws Exception {
        rig.input("a", "one");
        rig.job(
                "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                "  inputs: [{name: in, source: 'file://" + rig.inputs() + "/', include: ['*.nii']}]",
                "  forEach: {input: in}");
        var ran = rig.run();
        assertThat(ran.exit()).as(ran.all()).isEqualTo(65);

        var status = rig.command("status", manifest());
        var verified = verify();

        assertThat(status.exit()).as(status.all()).isEqualTo(65);
        assertThat(status.out()).contains("ended, exit 65 (", "0 of 0 items").doesNotContain("1970", "cut off");
        assertThat(verified.exit()).as(verified.all()).isEqualTo(65);
        assertThat(verified.all()).contains("ended before anything was planned, exit 65 (");

        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        assertThat(rig.run().exit()).isZero();
        assertThat(rig.command("status", manifest()).out()).contains("ended, exit 0", "1 of 1 items done");
        assertThat(verify().exit()).isZero();
    }

    @Test
    @DisplayName("Z1 a start that fails after a good run is told by status; resume goes on with the plan of that run")
    void failedStartAfterARun() throws Exception {
        rig.input("a", "one");
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        assertThat(rig.run().exit()).isZero();
        Files.delete(rig.inputs().resolve("a"));
        var failed = rig.run();
        assertThat(failed.exit()).as(failed.all()).isEqualTo(65);

        var status = rig.command("status", manifest());

        assertThat(status.exit()).as(status.all()).isEqualTo(65);
        assertThat(status.out()).contains("ended, exit 65 (", "1 of 1 items done");
        assertThat(verify().exit()).isZero();
        var resumed = rig.command("resume", manifest());
        assertThat(resumed.exit()).as(resumed.all()).isZero();
        assertThat(rig.command("status", manifest()).exit()).isZero();
    }

    @Test
    @DisplayName(
            "D6 a job with an item that failed is not verified: how many of how many are not done is told, and verify exits as the run did")
    void failedItem() throws Exception {
        rig.input("a", "one").input("b", "two").input("c", "three");
        rig.job("[ \"$FOREBAY_NAME\" != b ] && cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"", "  retry: {item: 0}");
        assertThat(rig.run().exit()).isEqualTo(1);

        var verified = verify();

        assertThat(verified.exit()).as(verified.all()).isEqualTo(1);
        assertThat(verified.out())
                .contains("2 outputs of 2 records verified")
                .contains(
                        "1 of 3 items is not done (1 failed): not all of the job's outputs are there. See forebay status "
                                + manifest());
    }

    @Test
    @DisplayName("D6 a job of which nothing is done yet, or that was cut off, is not verified: exit 75, and it is told")
    void cutOff() throws Exception {
        rig.input("a", "one").input("b", "two");
        rig.job("touch \"" + rig.home() + "/began\"; while [ ! -e \"" + rig.home()
                + "/go\" ]; do sleep 0.1; done; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        var process = rig.startRun();
        eventually("a step runs", () -> Files.exists(rig.home().resolve("began")));

        var running = verify();
        assertThat(running.exit()).as(running.all()).isEqualTo(75);
        assertThat(running.out()).contains("2 of 2 items are not done (0 failed)");
        var alive = rig.command("status", manifest());
        assertThat(alive.exit()).isEqualTo(75);
        assertThat(alive.out()).contains(": running (process " + process.pid() + " on this machine)\n");

        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        assertThat(verify().exit()).isEqualTo(75);
        var dead = rig.command("status", manifest());
        assertThat(dead.exit()).as(dead.all()).isEqualTo(75);
        assertThat(dead.out())
                .contains(": cut off: process " + process.pid()
                        + " on this machine has ended before the job did; the same command goes on where it was");

        Files.createFile(rig.home().resolve("go"));
        assertThat(rig.run().exit()).isZero();
        assertThat(verify().exit()).isZero();
    }
}
