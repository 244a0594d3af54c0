package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.S3Objects.Honours;
import io.forebay.testing.ScriptedS3;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Inputs that change while the job runs, on a store that does not say so. */
class ChangedInputIT extends RigTest {
    private static final String STEP = """
            if [ ! -e "%1$s/tried" ]; then touch "%1$s/tried"; exit 3; fi
            cp "$FOREBAY_INPUT" "$FOREBAY_OUT/"
            """;

    private void job(ScriptedS3 s3) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        rig.job(
                STEP.formatted(rig.home()),
                "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                "  inputs: [{name: in, source: 's3://bucket/in/'}]",
                "  forEach: {input: in}",
                "  retry: {item: 3}");
    }

    @Test
    @DisplayName(
            "R5 O2 other bytes under the same ETag between two attempts: the item fails, naming the input and both checksums")
    void otherBytes() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.objects().without(Honours.MD5_ETAGS, Honours.CHECKSUMS);
            s3.objects().put("in/x", "old bytes".getBytes(StandardCharsets.UTF_8));
            var changed = s3.on(
                    r -> r.is("GET", "in/x") && Files.exists(rig.home().resolve("tried")),
                    (request, objects) ->
                            objects.answer(request).withBody("new bytes".getBytes(StandardCharsets.UTF_8)));
            job(s3);

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(65);
            assertThat(result.all())
                    .contains("InputChanged")
                    .contains("s3://bucket/in/x was changed during the run")
                    .containsPattern("CRC32C [0-9a-f]{8} instead of [0-9a-f]{8}");
            assertThat(rig.published()).isEmpty();
            assertThat(changed.struck()).isPositive();
        }
    }

    @Test
    @DisplayName("R5 O2 the same bytes for each attempt: the second one ends well")
    void sameBytes() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.objects().without(Honours.MD5_ETAGS, Honours.CHECKSUMS);
            s3.objects().put("in/x", "old bytes".getBytes(StandardCharsets.UTF_8));
            job(s3);

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(rig.published()).containsEntry("x", "old bytes");
        }
    }
}
