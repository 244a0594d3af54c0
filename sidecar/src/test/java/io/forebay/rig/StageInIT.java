package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Inputs that cannot be had, change, lie, or match no pattern. */
class StageInIT extends RigTest {

    private String[] fromS3(ScriptedS3 s3, String... more) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        var lines = new java.util.ArrayList<String>(java.util.List.of(
                "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                "  inputs: [{name: in, source: 's3://bucket/in/'}]",
                "  forEach: {input: in}"));
        lines.addAll(java.util.List.of(more));
        return lines.toArray(String[]::new);
    }

    @Test
    @DisplayName(
            "I1 one of 20 inputs answers 500 for ever: its command never starts, 19 done, exit 65, the key is named")
    void oneFailsForEver() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            for (int i = 0; i < 20; i++) {
                s3.objects().put("in/f" + i, ("v" + i).getBytes(StandardCharsets.UTF_8));
            }
            s3.on(r -> r.is("GET", "in/f7"), (r, good) -> Answer.error(500, "InternalError"));
            rig.job(
                    "echo $FOREBAY_NAME >> \"" + rig.home().resolve("ran")
                            + "\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                    fromS3(s3, "  retry: {item: 0}"));

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(65);
            assertThat(result.all()).contains("in/f7").contains("500").contains("19 of 20");
            assertThat(rig.published()).hasSize(19);
            assertThat(lines("ran")).doesNotContain("f7");
        }
    }

    @Test
    @DisplayName("I2 no such bucket: exit 65 at once, naming URI, code and identity")
    void noBucket() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> true, (r, good) -> Answer.error(404, "NoSuchBucket"));
            rig.job("true", fromS3(s3));

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(65);
            assertThat(result.err()).contains("bucket").contains("NoSuchBucket").contains("404");
        }
    }

    @Test
    @DisplayName("I2 a source folder that does not exist: exit 65 with path and errno")
    void noFolder() throws Exception {
        rig.job("true", "  inputs: [{name: in, source: 'file:///nowhere/at/all/'}]", "  forEach: {input: in}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(65);
        assertThat(result.err()).contains("/nowhere/at/all").contains("ENOENT");
    }

    @Test
    @DisplayName("I3 the listing answers 503 three times, then well: exit 0")
    void listingRecovers() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.objects().put("in/a", "v".getBytes(StandardCharsets.UTF_8));
            s3.on(r -> r.method().equals("GET") && !r.isData("GET"), (r, good) -> Answer.error(503, "SlowDown"), 3);
            rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"", fromS3(s3));

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(rig.published()).containsOnlyKeys("a");
        }
    }

    @Test
    @DisplayName(
            "I4 an input overwritten after planning with equal size: Failed(InputChanged), never two versions in one file")
    void changedMeanwhile() throws Exception {
        rig.input("a", "first").input("b", "first");
        rig.job(
                """
                printf other > "%s/b"
                cp "$FOREBAY_INPUT" "$FOREBAY_OUT/"
                """.formatted(rig.inputs()),
                "  workers: {slots: 1}",
                "  retry: {item: 0}",
                "  buffer: {tiers: [{medium: Memory, size: 64Mi}], item: {work: 40Mi}}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isIn(0, 65);
        if (result.exit() == 65) {
            assertThat(result.all()).contains("InputChanged").contains("/b");
            assertThat(rig.published()).containsOnlyKeys("a");
        } else {
            // Both were fetched before the first command ran: the planned version is what was used.
            assertThat(rig.published()).containsEntry("b", "first");
        }
    }

    @Test
    @DisplayName("I5 a body that ends early and a flipped bit are read again; what is staged is right")
    void shortAndFlipped() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            var content = "0123456789".repeat(10_000).getBytes(StandardCharsets.UTF_8);
            s3.objects().put("in/a", content);
            s3.on(r -> r.is("GET", "in/a"), (r, good) -> good.answer(r).cut(600, Answer.Then.CLOSE), 1);
            rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"", fromS3(s3));

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(Files.readAllBytes(rig.results().resolve("a"))).isEqualTo(content);
        }
    }

    @Test
    @DisplayName("G1 include and exclude select exactly; records and temporary names are never inputs")
    void selection() throws Exception {
        rig.input("sub/a.nii.gz", "1")
                .input("tmp/b.nii.gz", "2")
                .input("c.txt", "3")
                .input(".forebay/x/d.nii.gz", "4")
                .input(".fb-0123abcd-0123456789abcdef01", "5");
        rig.job(
                "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/$FOREBAY_STEM\"",
                "  inputs: [{name: in, source: 'file://" + rig.inputs()
                        + "/', include: ['**/*.nii.gz', '.fb-*'], exclude: ['tmp/**']}]",
                "  forEach: {input: in}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).containsOnlyKeys("a");
    }

    @Test
    @DisplayName("G2 input patterns match nothing: exit 65 (NoInputs) with the pattern and the number of keys seen")
    void nothingMatches() throws Exception {
        rig.input("a.txt", "1").input("b.txt", "2");
        rig.job(
                "true",
                "  inputs: [{name: in, source: 'file://" + rig.inputs() + "/', include: ['*.nii']}]",
                "  forEach: {input: in}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(65);
        assertThat(result.err()).contains("*.nii").contains("2");
    }

    @Test
    @DisplayName("G3 groupBy makes one item per subject; a file outside any group is named as left out")
    void groups() throws Exception {
        rig.input("sub-1/a", "1").input("sub-1/b", "2").input("sub-2/a", "3").input("README", "4");
        rig.job(
                "cat \"$FOREBAY_INPUT\"/*/* > \"$FOREBAY_OUT/$(basename \"$FOREBAY_ITEM\")\" || ls -R \"$FOREBAY_INPUT\"",
                "  inputs: [{name: in, source: 'file://" + rig.inputs() + "/'}]",
                "  forEach: {input: in, groupBy: 'sub-*'}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).containsOnly(java.util.Map.entry("sub-1", "12"), java.util.Map.entry("sub-2", "3"));
        assertThat(result.all()).contains("left out");
        assertThat(rig.command("plan", rig.home().resolve("job.yaml").toString())
                        .out())
                .contains("README");
    }

    @Test
    @DisplayName("M5 one tier of 64 MiB, one input of 100 MiB: refused at planning with both sizes, exit 65")
    void tooLarge() throws Exception {
        rig.input("a", "x");
        try (var file = new java.io.RandomAccessFile(rig.inputs().resolve("a").toFile(), "rw")) {
            file.setLength(100 << 20);
        }
        rig.job("touch \"" + rig.home().resolve("ran") + "\"", "  buffer: {tiers: [{medium: Memory, size: 64Mi}]}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(65);
        assertThat(result.err()).contains("100.0 MiB").contains("64.0 MiB");
        assertThat(rig.home().resolve("ran")).doesNotExist();
    }

    @Test
    @DisplayName("Z5 an input that all items share is fetched once")
    void sharedOnce() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            for (int i = 0; i < 20; i++) {
                s3.objects().put("in/f" + i, ("v" + i).getBytes(StandardCharsets.UTF_8));
            }
            s3.objects().put("atlas/map", "the map".getBytes(StandardCharsets.UTF_8));
            rig.job(
                    "cat \"$FOREBAY_INPUT\" \"$FOREBAY_INPUT_atlas/map\" > \"$FOREBAY_OUT/$FOREBAY_NAME\"",
                    java.util.Arrays.stream(fromS3(s3))
                            .map(l -> l.replace("}]", "}, {name: atlas, source: 's3://bucket/atlas/'}]"))
                            .map(l -> l.contains("stores:")
                                    ? l.replace(", {name: atlas, source: 's3://bucket/atlas/'}", "")
                                    : l)
                            .toArray(String[]::new));

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(rig.published()).hasSize(20).containsEntry("f3", "v3the map");
            assertThat(s3.count(r -> r.is("GET", "atlas/map"))).isEqualTo(1);
            assertThat(s3.count(r -> r.method().equals("HEAD") && r.toString().contains("atlas/map")))
                    .isLessThanOrEqualTo(1);
        }
    }
}
