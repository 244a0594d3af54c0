package io.forebay.sidecar.buffer;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The machine's memory file system as this user finds it. In containers it is often small (Docker gives 64 MiB unless {@code --shm-size}
 * says more), sometimes missing or read-only.
 *
 * @param folder where it should be
 */
record SharedMemory(String folder) {
    /** For the journal and logs that lie beside the tiers. */
    private static final long BESIDE = 16L << 20;

    static final SharedMemory OF_THE_MACHINE = new SharedMemory("/dev/shm");

    /**
     * Why a tier cannot lie there; empty: it can, as far as the file system goes.
     *
     * @param root the tier's folder; where it is there already, an earlier life of this buffer fitted in, and is to be found again
     */
    Optional<String> obstacle(String root, Bytes size) throws IOException {
        if (Files.exists(Path.of(root))) {
            return Optional.empty();
        }
        if (!Files.isDirectory(Path.of(folder))) {
            return Optional.of(folder + " is no folder here");
        }
        if (!Files.isWritable(Path.of(folder))) {
            return Optional.of(folder + " cannot be written to by this user");
        }
        return tooSmall(root, size);
    }

    private Optional<String> tooSmall(String root, Bytes size) throws IOException {
        try {
            var system = Posix.statfs(folder);
            if (!system.isTmpfs()) {
                return Optional.of(folder + " is not in memory here");
            }
            var free = Bytes.of(system.freeBytes());
            return system.freeBytes() - BESIDE >= size.value()
                    ? Optional.empty()
                    : Optional.of("only " + free.human() + " are free in " + folder
                            + " (a container's limit is set with --shm-size)");
        } catch (PosixException e) {
            return Optional.of(folder + ": " + e.getMessage());
        }
    }
}
