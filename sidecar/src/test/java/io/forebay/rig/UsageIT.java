package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands refuse, and in which words. */
class UsageIT extends RigTest {
    private String job() {
        rig.input("a", "x");
        return rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"").toString();
    }

    @Test
    @DisplayName("--disk that is no folder is refused with 64 by its own name, before anything begins")
    void noDisk() throws Exception {
        job();

        var refused = rig.run("--disk=/nonexistent/x");

        assertThat(refused.exit()).as(refused.all()).isEqualTo(64);
        assertThat(refused.err())
                .contains("--disk is /nonexistent/x, which is no folder")
                .doesNotContain("FOREBAY_DISK");
        assertThat(rig.records()).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plan", "status", "validate"})
    @DisplayName("-o of something that is no format is refused with 64, naming those that are")
    void noFormat(String command) throws Exception {
        var refused = rig.command(command, "-o", "xml", job());

        assertThat(refused.exit()).as(refused.all()).isEqualTo(64);
        assertThat(refused.err()).contains("xml", "text", "json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "plan", "status", "verify", "resume", "validate"})
    @DisplayName("every command tells a problem of the manifest with its line, once")
    void lineOfAProblem(String command) throws Exception {
        job();
        var path = rig.home().resolve("job.yaml");
        var good = java.nio.file.Files.readString(path);
        var line = good.lines().toList().indexOf("spec:") + 2;

        rig.manifest(good.replace("spec:\n", "spec:\n  bufer: {}\n"));
        var field = rig.command(command, path.toString());
        rig.manifest(good.replace("spec:\n", "spec:\n  'unfinished\n"));
        var yaml = rig.command(command, path.toString());

        assertThat(field.exit()).isEqualTo(64);
        assertThat(field.err()).contains("did you mean 'buffer'? (line " + line + ")");
        assertThat(yaml.exit()).isEqualTo(64);
        assertThat(yaml.err()).containsPattern("the manifest is no YAML: .*, at column [0-9]+ \\(line [0-9]+\\)");
    }

    @Test
    @DisplayName("stage-in of a source that is not there names it once")
    void missingSource() throws Exception {
        var missing = rig.command("stage-in", rig.home() + "/nope/", rig.home() + "/out");

        assertThat(missing.exit()).as(missing.all()).isEqualTo(65);
        assertThat(missing.err().split("cannot list", -1)).as(missing.err()).hasSize(2);
    }
}
