package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Step;
import io.forebay.sidecar.local.LocalOptions.Images;
import io.forebay.sidecar.step.ImageRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Chooses the image runner of this machine.
 *
 * @param note what the user must know about it; absent: nothing
 */
public record LocalImages(ImageRunner runner, Optional<String> note) {

    public static LocalImages choose(Job job, Images mode, Map<String, String> environment) throws RunRefused {
        var images = job.steps().stream()
                .map(Step::image)
                .filter(java.util.Objects::nonNull)
                .toList();
        if (images.isEmpty()) {
            return new LocalImages(new ImageRunner.Host(), Optional.empty());
        }
        var found = mode == Images.HOST ? Optional.<ImageRunner>empty() : find(environment.getOrDefault("PATH", ""));
        if (found.isPresent()) {
            return new LocalImages(found.get(), Optional.empty());
        }
        if (mode == Images.REQUIRE) {
            throw new RunRefused(
                    64,
                    "--images=require: step image " + images.getFirst()
                            + " needs apptainer or podman, and neither is in PATH. Install one, or use --images=host to run the commands on this machine.");
        }
        return new LocalImages(
                new ImageRunner.Host(),
                Optional.of("images are not used: "
                        + (mode == Images.HOST ? "--images=host" : "neither apptainer nor podman is in PATH")
                        + "; the steps ran with this machine's own programs (" + images.size() + " of "
                        + job.steps().size() + " steps name an image)"));
    }

    private static Optional<ImageRunner> find(String path) {
        for (var program : new String[] {"apptainer", "podman"}) {
            for (var folder : path.split(":", -1)) {
                var file = folder.isEmpty() ? null : Path.of(folder, program);
                if (file != null && Files.isExecutable(file)) {
                    return Optional.of(
                            program.equals("podman")
                                    ? new ImageRunner.Podman(file.toString())
                                    : new ImageRunner.Apptainer(file.toString()));
                }
            }
        }
        return Optional.empty();
    }
}
