package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the source of an input is, and what lies below it that is no file. */
class SourcesIT extends RigTest {
    private static final String TELL =
            "if [ -d \"$FOREBAY_INPUT_ref\" ]; then echo folder; else cat \"$FOREBAY_INPUT_ref\"; fi > \"$FOREBAY_OUT/$FOREBAY_NAME\"";

    private void job(String script, String ref, String... more) {
        var lines = new java.util.ArrayList<String>();
        lines.add("  inputs:");
        lines.add("  - {name: in, source: 'file://" + rig.inputs() + "/'}");
        lines.add("  - {name: ref, source: '" + ref + "'}");
        lines.add("  forEach: {input: in}");
        lines.addAll(java.util.List.of(more));
        rig.job(script, lines.toArray(String[]::new));
    }

    private String told() throws Exception {
        var result = rig.run("--fresh");
        assertThat(result.exit()).as(result.all()).isZero();
        return Files.readString(rig.results().resolve("a"));
    }

    @Test
    @DisplayName(
            "$(INPUT_name) of a source without a slash is the folder if it is a folder, whatever it holds, and the file if it is a file")
    void folderOrFile() throws Exception {
        rig.input("a", "x");
        var ref = Files.createDirectories(rig.home().resolve("ref"));
        Files.writeString(ref.resolve("one"), "content");

        job(TELL, "file://" + ref);
        assertThat(told()).as("a folder with one file").isEqualTo("folder\n");
        Files.writeString(ref.resolve("two"), "content");
        assertThat(told()).as("a folder with two files").isEqualTo("folder\n");
        job(TELL, "file://" + ref + "/one");
        assertThat(told()).as("a file").isEqualTo("content");
    }

    @Test
    @DisplayName("the same for S3: an object of exactly that name is the file, a prefix is the folder")
    void prefixOrObject() throws Exception {
        rig.input("a", "x");
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.objects().put("ref/one", "content".getBytes(StandardCharsets.UTF_8));
            var stores = "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]";

            job(TELL, "s3://bucket/ref", stores);
            assertThat(told()).isEqualTo("folder\n");
            job(TELL, "s3://bucket/ref/one", stores);
            assertThat(told()).isEqualTo("content");
        }
    }

    @Test
    @DisplayName(
            "an output that goes below an input's source is warned of with and without the slash at the source's end")
    void outputBelowInput() throws Exception {
        rig.input("a", "x");
        for (var slash : new String[] {"/", ""}) {
            rig.job(
                    "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                    "  inputs: [{name: in, source: 'file://" + rig.inputs() + slash + "'}]",
                    "  forEach: {input: in}",
                    "  outputs: [{name: out, path: '**', to: 'file://" + rig.inputs() + "/out/'}]");
            var planned = rig.command("plan", rig.home().resolve("job.yaml").toString());
            assertThat(planned.exit()).as(planned.all()).isZero();
            assertThat(planned.out()).contains("below the source of input in");
        }
    }

    @Test
    @DisplayName("N9 a FIFO among the inputs is left out and told by plan, run and stage-in alike, and is no failure")
    void fifo() throws Exception {
        rig.input("a", "x");
        assertThat(new ProcessBuilder("mkfifo", rig.inputs().resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");

        var planned = rig.command("plan", rig.home().resolve("job.yaml").toString());
        var staged = rig.command("stage-in", rig.inputs() + "/", rig.home() + "/copy");
        var ran = rig.run();

        assertThat(planned.exit()).as(planned.all()).isZero();
        assertThat(planned.out())
                .contains("left out in  pipe  it is a FIFO: it holds no bytes that could be staged")
                .contains("warning: left out of input in: pipe (a FIFO): it is no file that could be staged")
                .contains("1 left out, 0 unusable");
        assertThat(staged.exit()).as(staged.all()).isZero();
        assertThat(staged.err()).contains("left out: pipe (a FIFO): no file, so it cannot be staged");
        assertThat(rig.home().resolve("copy").toFile().list()).containsExactly("a");
        assertThat(ran.exit()).as(ran.all()).isZero();
        assertThat(ran.all()).contains("left out of input in: pipe (a FIFO)");
        assertThat(rig.published()).containsOnlyKeys("a");
    }

    @Test
    @DisplayName(
            "N5 a link that Follow cannot follow stands for a file that is missing: named, and 65; stage-in keeps links")
    void linkThatLeadsNowhere() throws Exception {
        rig.input("a", "x");
        Files.createSymbolicLink(rig.inputs().resolve("gone"), Path.of("nowhere"));
        Files.createSymbolicLink(rig.inputs().resolve("outside"), Path.of("/etc/hostname"));
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");

        var planned = rig.command("plan", rig.home().resolve("job.yaml").toString());
        var ran = rig.run();
        var staged = rig.command("stage-in", rig.inputs() + "/", rig.home() + "/copy");

        assertThat(planned.exit()).as(planned.all()).isEqualTo(65);
        assertThat(planned.out()).contains("unusable in  gone", "unusable in  outside");
        assertThat(ran.exit()).as(ran.all()).isEqualTo(65);
        assertThat(ran.all()).contains("left out of input in: gone", "left out of input in: outside");
        assertThat(rig.published()).containsOnlyKeys("a");
        assertThat(staged.exit()).as(staged.all()).isZero();
        assertThat(rig.home().resolve("copy/gone")).isSymbolicLink();
    }

    @Test
    @DisplayName("R5 when a shared input changes, the run says that this is why finished items run again")
    void sharedInputChanged() throws Exception {
        rig.input("a", "x").input("b", "y");
        var ref = Files.writeString(rig.home().resolve("ref"), "1");
        job("cat \"$FOREBAY_INPUT\" \"$FOREBAY_INPUT_ref\" > \"$FOREBAY_OUT/$FOREBAY_NAME\"", "file://" + ref);
        assertThat(rig.run().exit()).isZero();
        var same = rig.run();
        assertThat(same.all())
                .contains("0 of 2 items are run, 2 have completion records")
                .doesNotContain("changed");
        Files.writeString(ref, "22");

        var again = rig.run();

        assertThat(again.exit()).as(again.all()).isZero();
        assertThat(again.all()).contains("input ref changed: 2 of 2 items are run again");
        assertThat(rig.published()).containsEntry("a", "x22");
    }
}
