package io.forebay.sidecar.worker;

import io.forebay.sidecar.flush.Modes;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.step.StepHost;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.TrueModes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What lets files pass between this process and steps that run as other users of one group: inputs are opened for the group here; what a step
 * left is opened by its runner, as its owner, and the modes that it had are remembered. Without other users it does nothing. Thread-safe.
 */
final class StepUsers {
    /** A runner's container that was killed is there again within this time, mostly (kubelet: 0, 10, 20, 40 s). */
    private static final long ANSWER_SECONDS = 60;

    private static final int PERMISSIONS = 0777;
    private static final int READ_AND_RUN = 0500;
    private static final int GROUP_SHIFT = 3;
    private static final int SETGID = 02000;

    private final StepHost host;
    private final boolean others;
    private final List<String> steps;

    /**
     * @param steps their names, in order
     * @param others whether steps run as other users; the buffer's folders are shared by a group then
     */
    StepUsers(StepHost host, boolean others, List<String> steps) {
        this.host = host;
        this.others = others;
        this.steps = List.copyOf(steps);
    }

    /** An input that was fetched: the group may do with it what its owner may, but write. */
    void openInput(String path) throws PosixException {
        if (others) {
            int mode = Posix.lstat(path).permissions() & PERMISSIONS;
            Posix.fchmodat(null, path, mode | (mode & READ_AND_RUN) >> GROUP_SHIFT);
        }
    }

    /**
     * What a command has left can be read, by this process and by the steps that follow. Before its end is recorded, so that an end on record needs
     * no second time.
     *
     * @throws IOException it cannot: the message names what, and why
     */
    void handOver(Attempt attempt, CommandId id) throws IOException, InterruptedException {
        if (!others) {
            return;
        }
        var folders = new ArrayList<String>();
        folders.add(attempt.space().work());
        folders.add(attempt.space().out());
        try {
            host.handOver(id, folders, modesFile(attempt, id.step()).toString()).get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException(
                    String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()), e);
        } catch (TimeoutException e) {
            throw new IOException("no runner of step " + id.step() + " came within " + ANSWER_SECONDS + " s", e);
        }
    }

    /** Of what the steps of an attempt left, as they made it. @throws IOException what was remembered cannot be read */
    Modes modesOf(Attempt attempt) throws IOException {
        if (!others) {
            return Modes.AS_THEY_ARE;
        }
        var remembered = new ArrayList<TrueModes>();
        // The last change counts, and each step saw what those before it left.
        for (var step : steps) {
            remembered.add(TrueModes.read(modesFile(attempt, step)));
        }
        return stat -> {
            int mode = stat.permissions();
            for (var modes : remembered.reversed()) {
                mode = modes.trueMode(stat.device(), stat.inode(), mode).orElse(mode);
            }
            // Folders got it from ours, which pass the group on.
            return stat.isFolder() ? mode & ~SETGID : mode;
        };
    }

    /** Beside the attempt's folders, where the step's user may write; one for each, since the next step may be another user. */
    private static Path modesFile(Attempt attempt, String step) throws IOException {
        var item = Path.of(attempt.space().work()).getParent();
        if (item == null || !Files.isDirectory(item)) {
            throw new IOException("no folder of item " + attempt.lease().key());
        }
        return item.resolve(".modes." + attempt.number() + "." + step);
    }
}
