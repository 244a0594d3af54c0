package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Outputs are kept, and the next run has not the items that they belong to: nothing is given up unless the user says so. */
class KeptAndGoneIT extends RigTest {
    @BeforeEach
    void inputs() {
        keepsBuffer = true;
        for (int i = 0; i < 6; i++) {
            rig.input("f%02d".formatted(i), "value " + i);
        }
    }

    private void job(ScriptedS3 s3, String include) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        rig.job(
                "echo $FOREBAY_NAME >> \"" + rig.home().resolve("ran") + "\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                "  inputs: [{name: in, source: 'file://" + rig.inputs() + "/', include: ['" + include + "']}]",
                "  forEach: {input: in}",
                "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                "  outputs: [{name: out, path: '**', to: 's3://bucket/out/'}]",
                "  records: file://" + rig.results() + "/.forebay/");
    }

    /** All six are computed and kept, then the destination is good again. */
    private void kept(ScriptedS3 s3) throws Exception {
        s3.on(
                r -> !r.method().equals("GET") && r.key().startsWith("out/"),
                (r, good) -> Answer.error(403, "AccessDenied"));
        job(s3, "**");
        var first = rig.run();
        assertThat(first.exit()).as(first.all()).isEqualTo(74);
        s3.behave();
    }

    private JobRig.Result resume() throws Exception {
        return rig.command("resume", rig.home().resolve("job.yaml").toString());
    }

    @Test
    @DisplayName(
            "C7 inputs are removed after a run that kept outputs: the next run is refused, names them, deletes nothing; resume publishes them")
    void inputsRemoved() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            kept(s3);
            Files.delete(rig.inputs().resolve("f01"));
            Files.delete(rig.inputs().resolve("f04"));

            var refused = rig.run();

            assertThat(refused.exit()).as(refused.all()).isEqualTo(74);
            assertThat(refused.all())
                    .contains("2 outputs of 2 items f01, f04")
                    .contains("nothing is deleted")
                    .contains("forebay resume")
                    .contains("--discard-kept");
            assertThat(unexported()).hasSize(6);
            assertThat(s3.objects().keys()).isEmpty();
            assertThat(rig.run().exit()).as("once more").isEqualTo(74);

            var resumed = resume();
            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertThat(s3.objects().keys()).hasSize(6);
            assertThat(lines("ran")).hasSize(6);
            keepsBuffer = false;
        }
    }

    @Test
    @DisplayName("C7 --discard-kept gives up what no item can use, and names it; all others are published")
    void discarded() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            kept(s3);
            Files.delete(rig.inputs().resolve("f01"));

            var run = rig.run("--discard-kept");

            assertThat(run.exit()).as(run.all()).isZero();
            assertThat(run.all()).contains("given up with --discard-kept: 1 output of item f01");
            assertThat(s3.objects().keys()).hasSize(5);
            assertThat(lines("ran").stream().filter("f01"::equals)).hasSize(1);
            assertThat(unexported()).isEmpty();
            keepsBuffer = false;
        }
    }

    @Test
    @DisplayName(
            "C7 the manifest selects fewer items now: run and resume are refused alike; with the manifest as it was resume publishes all")
    void includeNarrowed() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            kept(s3);
            job(s3, "f00");

            var refused = rig.run();
            assertThat(refused.exit()).as(refused.all()).isEqualTo(74);
            assertThat(refused.all()).contains("belong to no item of this run").contains("f05");
            assertThat(resume().exit()).isEqualTo(74);
            assertThat(unexported()).hasSize(6);

            job(s3, "**");
            var resumed = resume();
            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertThat(s3.objects().keys()).hasSize(6);
            keepsBuffer = false;
        }
    }

    @Test
    @DisplayName("C7 --fresh says what it gives up")
    void fresh() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            kept(s3);

            var run = rig.run("--fresh");

            assertThat(run.exit()).as(run.all()).isZero();
            assertThat(run.all()).contains("given up with --fresh: 6 outputs of 6 items f00, f01");
            assertThat(s3.objects().keys()).hasSize(6);
            assertThat(lines("ran")).hasSize(12);
            keepsBuffer = false;
        }
    }

    @Test
    @DisplayName("an input has another version since: its kept output is given up by name, the item is run anew")
    void otherVersion() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            kept(s3);
            rig.input("f02", "another value");

            var run = rig.run();

            assertThat(run.exit()).as(run.all()).isZero();
            assertThat(run.all())
                    .contains("given up, for their items are run anew")
                    .contains("1 output of item f02");
            assertThat(new String(s3.objects().get("out/f02").content(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("another value");
            assertThat(lines("ran")).hasSize(7);
            keepsBuffer = false;
        }
    }
}
