package io.forebay.sidecar.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Coordinators and workers that are killed and frozen between any two store operations; see {@link Simulation}. */
class SuccessionModelTest {
    @Property(tries = 300, shrinking = ShrinkingMode.OFF)
    @Label(
            "C2 C3 C10 R2 killed and frozen anywhere: each item's outputs from one attempt, none lost, none run again once done")
    void holds(@ForAll long seed) throws Exception {
        var scratch = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "model-");
        try {
            var simulation = new Simulation(seed, scratch);
            simulation.run(300);
            simulation.finish();
            assertThat(simulation.complaints()).as(simulation.story()).isEmpty();
        } finally {
            Files.delete(scratch);
        }
    }
}
