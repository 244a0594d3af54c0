package io.forebay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.forebay.api.job.JobReader;
import io.forebay.api.job.ManifestTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The operator's client reads and writes the records with Jackson; it and the reader agree. */
class JacksonTest {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    static List<ManifestTable.Entry> valid() {
        return ManifestTable.valid();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("valid")
    void readsWhatTheReaderReads(ManifestTable.Entry entry) throws Exception {
        var read = (JobReader.Valid) JobReader.read(entry.text());
        var spec = MAPPER.readTree(read.job().manifest()).get("spec");
        assertThat(MAPPER.treeToValue(spec, PipelineJobSpec.class))
                .isEqualTo(read.manifest().spec());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("valid")
    void writesWhatItReadsAsTheSame(ManifestTable.Entry entry) throws Exception {
        var read = (JobReader.Valid) JobReader.read(entry.text());
        var written = MAPPER.writeValueAsBytes(read.manifest());
        var again = JobReader.read(written);
        assertThat(again.problems()).isEmpty();
        assertThat(((JobReader.Valid) again).manifest()).isEqualTo(read.manifest());
    }

    @Test
    void statusIsWrittenAsTheCrdSays() throws Exception {
        var status = new PipelineJobStatus(
                1L,
                Phase.RUNNING,
                null,
                null,
                null,
                "2026-01-01T00:00:00Z",
                null,
                null,
                null,
                3,
                new ItemCounts(10L, 4L, 0L, 2L, null),
                null,
                new StatusColumns("4/10", null, null, null, null, null, "3/15"),
                List.of("one"),
                List.of(new StatusCondition("Running", "True", null, null, null, null)));
        JsonNode json = MAPPER.valueToTree(status);
        assertThat(json.toString())
                .isEqualTo(
                        "{\"observedGeneration\":1,\"phase\":\"Running\",\"startTime\":\"2026-01-01T00:00:00Z\",\"workers\":3,"
                                + "\"items\":{\"total\":10,\"done\":4,\"failed\":0,\"running\":2},\"columns\":{\"items\":\"4/10\",\"workers\":\"3/15\"},"
                                + "\"errors\":[\"one\"],\"conditions\":[{\"type\":\"Running\",\"status\":\"True\"}]}");
        assertThat(MAPPER.treeToValue(json, PipelineJobStatus.class)).isEqualTo(status);
    }
}
