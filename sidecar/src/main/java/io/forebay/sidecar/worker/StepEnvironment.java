package io.forebay.sidecar.worker;

import io.forebay.sidecar.step.ImageRunner;
import io.forebay.sidecar.step.StepHost.CommandId;
import java.util.Map;

/**
 * What every command of this worker gets.
 *
 * @param base environment before the item's variables: the user's own on one machine, the image's in a pod (empty here, the
 *     runner has it)
 * @param confine whether commands are kept to their item's folders (Landlock)
 * @param logFolder where the output streams of the commands go
 * @param otherUsers whether commands run as other users than this process, of one group that the buffer's folders are shared by
 * @param images how a step's image is taken
 */
public record StepEnvironment(
        Map<String, String> base, boolean confine, String logFolder, boolean otherUsers, ImageRunner images) {
    public StepEnvironment {
        base = Map.copyOf(base);
    }

    String logFile(CommandId id) {
        return logFolder + "/" + id.item() + "." + id.generation() + "." + id.attempt() + "." + id.step() + ".log";
    }
}
