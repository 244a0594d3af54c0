package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of Forebay's own, among inputs and outputs. */
class OwnNamesIT extends RigTest {
    private static final String TEMPORARY = ".fb-0123abcd-0123456789abcdef01";

    @Test
    @DisplayName(
            "G1 inputs and staged files named .fb-... are the user's like any other; a temporary file of ours is left out by name")
    void inputs() throws Exception {
        rig.input(".fb-notes.dat", "notes").input(".fb-data/x", "x").input(TEMPORARY, "half");
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/of-$FOREBAY_NAME\"");
        var ran = rig.run();
        assertThat(ran.exit()).as(ran.all()).isZero();
        assertThat(rig.published().values()).containsExactlyInAnyOrder("notes", "x");
        assertThat(ran.all())
                .contains("left out of input in: " + TEMPORARY, "left out: 1 file of which no item is made");

        var copy = rig.home().resolve("copy");
        var staged = rig.command("stage-in", "file://" + rig.inputs() + "/", copy.toString());
        assertThat(staged.exit()).as(staged.all()).isZero();
        assertThat(copy.resolve(".fb-notes.dat")).hasContent("notes");
        assertThat(copy.resolve(".fb-data/x")).hasContent("x");
        assertThat(copy.resolve(TEMPORARY)).doesNotExist();
        assertThat(staged.all()).contains("left out: ", TEMPORARY);
    }

    @ParameterizedTest
    @ValueSource(strings = {".forebay/otherjob/log-000001.jsonl", "deep/.forebay/x", TEMPORARY})
    @DisplayName(
            "D1 no output is published among the records of any job, nor under a temporary name of ours: BadOutput, by name")
    void outputs(String name) throws Exception {
        rig.input("a", "value");
        var records = rig.results().resolve(".forebay/otherjob/log-000001.jsonl");
        Files.createDirectories(records.getParent());
        Files.writeString(records, "the truth");
        rig.job("mkdir -p \"$(dirname \"$FOREBAY_OUT/" + name + "\")\"; echo fake > \"$FOREBAY_OUT/" + name
                + "\"; echo good > \"$FOREBAY_OUT/good\"");
        var ran = rig.run();
        keepsBuffer = !buffers().isEmpty();
        assertThat(ran.exit()).as(ran.all()).isEqualTo(1);
        assertThat(ran.all()).contains("BadOutput", "$(OUT)/" + name + " would become");
        assertThat(records).hasContent("the truth");
        assertThat(rig.published()).isEmpty();
    }

    @Test
    @DisplayName("G1 the summary names the first files that belong to no group, as plan does")
    void outsideGroups() throws Exception {
        rig.input("sub-1/a", "value").input("readme.txt", "x").input("other/y", "y");
        rig.job(
                "cat \"$FOREBAY_INPUTS\"/* > /dev/null; echo done > \"$FOREBAY_OUT/$FOREBAY_NAME\"",
                "  inputs: [{name: in, source: 'file://" + rig.inputs() + "/'}]",
                "  forEach: {input: in, groupBy: 'sub-*'}");
        var ran = rig.run();
        assertThat(ran.exit()).as(ran.all()).isZero();
        assertThat(ran.out())
                .contains(
                        "left out of input in: readme.txt: in no folder that matches groupBy sub-*",
                        "left out of input in: other/y: in no folder that matches groupBy sub-*",
                        "left out: 2 files of which no item is made; forebay plan names each");
    }
}
