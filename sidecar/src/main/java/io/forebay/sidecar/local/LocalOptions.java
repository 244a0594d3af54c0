package io.forebay.sidecar.local;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What a user may say beside the manifest.
 *
 * @param fresh ignore what earlier runs of the job recorded
 * @param resume finish what an earlier run left; refused if there was none
 * @param discardKept outputs that an earlier run kept, and that belong to no item of this one, are given up
 * @param disk folder for disk tiers; absent: from the environment
 * @param images how {@code image} of a step is taken
 * @param runner the step runner's binary; absent: commands are started by this process
 */
public record LocalOptions(
        boolean fresh, boolean resume, boolean discardKept, Optional<Path> disk, Images images, Optional<Path> runner) {
    /** DESIGN 2, "The same meaning outside Kubernetes". */
    public enum Images {
        AUTO,
        REQUIRE,
        HOST
    }
}
