package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import io.forebay.testing.ScriptedS3.Request;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole command on a listing of a million objects, which a server makes up page by page. */
@Tag("slow")
class MillionInputsIT extends RigTest {
    private static final int OBJECTS = 1_000_000;
    private static final int PAGE = 1000;

    @Test
    @DisplayName("M2 forebay plan over 1,000,000 objects of 4 KiB: every one an item, within 256 MiB")
    void plans() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            var pages = s3.on(r -> r.query().containsKey("list-type"), (request, server) -> page(request));
            rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
            rig.job(
                    "true",
                    "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                    "  inputs: [{name: in, source: 's3://bucket/in/', include: ['**/*.nii.gz']}]",
                    "  forEach: {input: in}");

            var process = rig.start(
                    "plan", "--summary", rig.home().resolve("job.yaml").toString());
            var peak = EngineWatch.until(process, () -> 0);
            System.out.println("[million] plan: " + peak);
            var result = rig.await(process);

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(result.out()).contains(OBJECTS + " items, " + OBJECTS + " files");
            assertThat(peak.residentMib()).as("resident memory, MiB").isBetween(1L, 255L);
            assertThat(pages.struck()).as("pages asked for").isEqualTo(OBJECTS / PAGE);
        }
    }

    private static Answer page(Request request) {
        int from = Integer.parseInt(request.query().getOrDefault("continuation-token", "0"));
        int to = Math.min(from + PAGE, OBJECTS);
        var xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        for (int i = from; i < to; i++) {
            xml.append("<Contents><Key>in/subject-%03d/chunk-%07d.nii.gz</Key>".formatted(i / 2000, i))
                    .append("<LastModified>2026-01-02T03:04:05.000Z</LastModified>")
                    .append("<ETag>&quot;%032x&quot;</ETag><Size>4096</Size></Contents>".formatted(i));
        }
        xml.append("<EncodingType>url</EncodingType><IsTruncated>")
                .append(to < OBJECTS)
                .append("</IsTruncated>");
        if (to < OBJECTS) {
            xml.append("<NextContinuationToken>").append(to).append("</NextContinuationToken>");
        }
        xml.append("</ListBucketResult>");
        return Answer.of(
                200, Map.of("content-type", "application/xml"), xml.toString().getBytes(StandardCharsets.UTF_8));
    }
}
