package io.forebay.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.v1alpha1.ItemCounts;
import io.forebay.api.v1alpha1.Phase;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobProgressTest {
    private static JobProgress read(String json) throws Exception {
        return MessageJson.MAPPER.readValue(json, JobProgress.class);
    }

    @Test
    void isReadBackAsItWasWritten() throws Exception {
        var end = new JobEnd(1, Phase.FAILED, "StepFailed", "a \udcff", new ItemCounts(3L, 2L, 1L, 0L, 4L), null, 1);
        var said = JobProgress.planning(7, "file:///r/.forebay/job/").with(new JobProgress.Rates(1, 2, 0.5), end);
        assertThat(read(MessageJson.MAPPER.writeValueAsString(said))).isEqualTo(said);
    }

    @Test
    void whatANewerSideSendsIsIgnoredAndWhatAnOlderOneLacksIsEmpty() throws Exception {
        var read = read("{\"phase\":\"Running\",\"items\":5,\"weather\":\"fine\",\"end\":null}");
        assertThat(read.items()).isEqualTo(5);
        assertThat(read.errors()).isEqualTo(List.of());
        assertThat(read.end()).isNull();
        assertThat(read.rates()).isNull();
    }
}
