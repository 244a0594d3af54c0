package io.forebay.sidecar.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Whatever workers send, twice or late, and whoever dies; see {@link MessageStorm}. */
class CoordinatorModelTest {
    private static final int TRIES = 1000;
    private static int tries;
    private static int recalls;

    @Property(tries = TRIES, shrinking = ShrinkingMode.OFF)
    @Label(
            "C9 R1 R2 R7 random messages, repeated, late, lost: each item completes once or fails for good, each name has one"
                    + " record, nothing is leased to two who live, or again once it has ended, and everything ends")
    void holds(@ForAll long seed) throws Exception {
        var scratch = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "model-");
        try {
            var storm = new MessageStorm(seed, scratch);
            storm.run(250);
            storm.finish();
            assertThat(storm.complaints()).as(storm.story()).isEmpty();
            recalls += storm.recalls();
            if (++tries == TRIES) {
                assertThat(recalls)
                        .as("items that were recalled for a worker that waited")
                        .isGreaterThan(TRIES / 10);
            }
        } finally {
            Files.delete(scratch);
        }
    }
}
