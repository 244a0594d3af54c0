package io.forebay.sidecar.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Few items, and workers that come when the first has leased them all; see {@link LateWorkers}. */
class LateWorkersModelTest {
    private static final int TRIES = 200;
    private static int tries;
    private static int moved;

    @Property(tries = TRIES, shrinking = ShrinkingMode.OFF)
    @Label("L5 who comes late gets a share of what others have not begun; no item is on two, and none goes to and fro")
    void share(@ForAll long seed) throws Exception {
        var scratch = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "model-");
        try {
            var model = new LateWorkers(seed, scratch);
            model.run();
            assertThat(model.complaints()).as(model.story()).isEmpty();
            moved += model.moved();
            if (++tries == TRIES) {
                assertThat(moved).as("items that a late worker got").isGreaterThan(TRIES);
            }
        } finally {
            Files.delete(scratch);
        }
    }
}
