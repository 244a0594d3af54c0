package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.rig.JobRig.Result;
import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code forebay stage-in} and {@code forebay flush}, as scripts use them. */
class CopyIT extends RigTest {

    private Path folder() {
        return rig.home().resolve("copy");
    }

    private String[] with(ScriptedS3 s3, String command, String from, String to) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        return new String[] {command, "--endpoint", s3.endpoint().toString(), "--region", "us-east-1", from, to};
    }

    /** Names in the folder, hidden ones too. */
    private List<String> names() throws IOException {
        try (var all = Files.list(folder())) {
            return all.map(p -> p.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    @DisplayName(
            "D5 stage-in: what has the name stays until a whole file replaces it; a failed one leaves nothing, exit 65")
    void olderFileStays() throws Exception {
        Files.createDirectories(folder());
        Files.writeString(folder().resolve("b"), "older");
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.objects().put("in/a", "va".getBytes());
            s3.objects().put("in/b", "vb".getBytes());
            s3.on(r -> r.is("GET", "in/b"), (r, good) -> Answer.error(403, "AccessDenied"));

            Result result = rig.command(with(s3, "stage-in", "s3://bucket/in/", folder().toString()));

            assertThat(result.exit()).as(result.all()).isEqualTo(65);
            assertThat(result.err()).contains("in/b").contains("403");
            assertThat(names()).containsExactly("a", "b");
            assertThat(folder().resolve("b")).hasContent("older");
            s3.behave();
            assertThat(rig.command(with(s3, "stage-in", "s3://bucket/in/", folder().toString()))
                            .exit())
                    .isZero();
            assertThat(folder().resolve("b")).hasContent("vb");
        }
    }

    @Test
    @DisplayName(
            "D4 flush: one of several is denied: the others are there, exit 74, it is named, no open upload is left")
    void oneDenied() throws Exception {
        Files.createDirectories(folder());
        for (var name : List.of("a", "b")) {
            Files.write(folder().resolve(name), new byte[20 << 20]);
        }
        Files.writeString(folder().resolve("small"), "v");
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> r.isData("PUT") && r.key().endsWith("/b"), (r, good) -> Answer.error(403, "AccessDenied"));

            Result result = rig.command(with(s3, "flush", folder().toString(), "s3://bucket/out/"));

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            assertThat(result.err()).contains("/b").contains("403");
            assertThat(s3.objects().keys()).containsExactly("out/a", "out/small");
            assertThat(s3.objects().openUploads()).isEmpty();
        }
    }
}
