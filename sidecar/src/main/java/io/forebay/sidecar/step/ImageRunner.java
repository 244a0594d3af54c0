package io.forebay.sidecar.step;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How the image of a step is taken outside Kubernetes. Pure: makes command lines. */
public sealed interface ImageRunner {

    /**
     * @param image as the manifest names it: a registry reference, or the path of a {@code .sif} file
     * @param variables names of environment variables that the command is to see
     * @param readable folders, mounted read-only at the same paths
     * @param writable folders, mounted read-write at the same paths
     * @return the command line that runs {@code argv} in the image
     */
    List<String> wrap(
            String image,
            List<String> argv,
            Set<String> variables,
            String workingFolder,
            List<String> readable,
            List<String> writable);

    /** The command runs on the host, with the host's programs. */
    record Host() implements ImageRunner {
        @Override
        public List<String> wrap(
                String image,
                List<String> argv,
                Set<String> variables,
                String workingFolder,
                List<String> readable,
                List<String> writable) {
            return argv;
        }
    }

    /** Apptainer passes the environment on by itself (apptainer-exec(1)). */
    record Apptainer(String program) implements ImageRunner {
        @Override
        public List<String> wrap(
                String image,
                List<String> argv,
                Set<String> variables,
                String workingFolder,
                List<String> readable,
                List<String> writable) {
            var line = new ArrayList<>(List.of(program, "--quiet", "exec", "--no-home", "--pwd", workingFolder));
            readable.forEach(folder -> line.addAll(List.of("--bind", folder + ":" + folder + ":ro")));
            writable.forEach(folder -> line.addAll(List.of("--bind", folder + ":" + folder)));
            line.add(
                    image.endsWith(".sif") || image.startsWith("/") || image.contains("://")
                            ? image
                            : "docker://" + image);
            line.addAll(argv);
            return line;
        }
    }

    /** podman-run(1): the user keeps its id, signals are passed on, the container goes with its command. */
    record Podman(String program) implements ImageRunner {
        @Override
        public List<String> wrap(
                String image,
                List<String> argv,
                Set<String> variables,
                String workingFolder,
                List<String> readable,
                List<String> writable) {
            var line = new ArrayList<>(List.of(
                    program, "run", "--rm", "--init", "--userns=keep-id", "--entrypoint=", "--workdir", workingFolder));
            variables.stream().sorted().forEach(name -> line.addAll(List.of("--env", name)));
            readable.forEach(folder -> line.addAll(List.of("--volume", folder + ":" + folder + ":ro")));
            writable.forEach(folder -> line.addAll(List.of("--volume", folder + ":" + folder)));
            line.add(image);
            line.addAll(argv);
            return line;
        }
    }
}
