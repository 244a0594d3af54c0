package io.forebay.sidecar.apart;

import io.forebay.sidecar.local.RunRefused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** Puts the step runner where other containers of a pod find it. */
public final class RunnerCopy {
    private static final int REFUSED = 64;
    private static final String NAME = "forebay-step";

    private RunnerCopy() {}

    /**
     * As {@code forebay-step}, mode 0755; appears whole, and replaces an older one, which may be running.
     *
     * @param runner absent: this installation has none
     * @throws RunRefused 64: there is no runner, or it cannot be written there
     */
    public static void into(Path folder, Optional<Path> runner) throws RunRefused {
        var from = runner.orElseThrow(
                () -> new RunRefused(
                        REFUSED,
                        "--install-runner " + folder
                                + ": this installation has no step runner (forebay-step); build it where there is a C compiler"));
        var temporary =
                folder.resolve("." + NAME + "." + ProcessHandle.current().pid());
        try {
            Files.copy(from, temporary, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(
                    temporary,
                    folder.resolve(NAME),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new RunRefused(REFUSED, "--install-runner " + folder + ": cannot copy " + from + " there: " + e);
        }
    }
}
