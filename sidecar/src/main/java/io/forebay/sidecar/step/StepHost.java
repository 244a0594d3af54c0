package io.forebay.sidecar.step;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Runs commands for the worker, at most {@code slots} of a step at once. Thread-safe; nothing here blocks but {@link #close}.
 *
 * <p>Each command that was submitted, recovered or reattached gets exactly one {@link Listener#ended} in one life of this process,
 * whatever happens to it.
 */
public interface StepHost extends AutoCloseable {
    /** Of what a command prints its end tells the last bytes, so many. */
    int TAIL = Tail.SIZE;

    /** Queues a command. One that is already queued, running or ended and not acknowledged is not started again. */
    void submit(Command command);

    /**
     * After a restart of this process: these commands were given to runners by an earlier life, as its journal says, and
     * their ends are not known. Each is either told as reattached (and its end later), or its end is told: as it was, or as
     * lost when its runner has come back without it, or no runner has come for a while. Submitting one of them again before that
     * runs it only if it is lost: then no loss is told, it starts.
     *
     * <p>What runners bring back beside these is of attempts that are over: it is ended by SIGKILL, and nothing is told of it.
     */
    void recover(List<CommandId> ids);

    /**
     * SIGTERM to all processes of the command, SIGKILL after the grace. One that was not yet started is taken from the queue; its
     * end is told as killed by SIGTERM.
     */
    void stop(CommandId id, Duration grace);

    /**
     * Whether no process has the file open for writing or mapped writably: the runner takes and gives back a read lease
     * (F_SETLEASE) as the file's owner. false also where it cannot be told.
     */
    CompletableFuture<Boolean> isUnwritten(CommandId id, String path);

    /**
     * Has what a command left below the folders opened for this process, where the step runs as another user of the same group (files
     * of mode 0600, folders of mode 0700). True modes are written to {@code modesFile} first, see {@link TrueModes}; the file is absent
     * or as it was if nothing had to be changed. May be repeated.
     *
     * @param folders absolute, made by this process
     * @param modesFile absolute, in a folder that the step's user may write
     * @return completes with an {@link java.io.IOException} that names the first thing that could not be done
     */
    CompletableFuture<Void> handOver(CommandId id, List<String> folders, String modesFile);

    /** Has the folders emptied by the user that the step runs as; they stay. Completes as {@link #handOver} does; may be repeated. */
    CompletableFuture<Void> clean(CommandId id, List<String> folders);

    /** The worker has the end of this command in its journal; the runner may forget it. */
    void acknowledge(CommandId id);

    /** Ends the runners: they stop what still runs. Waits for that, for a bounded time. */
    @Override
    void close();

    /** @param step name of the step; also which runners can run it */
    record CommandId(long item, int generation, int attempt, String step) {}

    /**
     * @param label prefix of the output lines: the item's key
     * @param argv not empty; the program is searched in the PATH of {@code environment}
     * @param environment whole, nothing is inherited but PATH if absent
     * @param readable folders that the command may read; {@code writable} may also be written (Landlock). These are exceptions within
     *     the folders that the host fences off; elsewhere the command sees what its user may see. Both empty: not confined
     * @param logFile where both output streams go, bounded
     */
    record Command(
            CommandId id,
            String label,
            List<String> argv,
            Map<String, String> environment,
            String workingFolder,
            List<String> readable,
            List<String> writable,
            String logFile,
            Optional<Long> memoryLimitBytes) {
        public Command {
            if (argv.isEmpty()) {
                throw new IllegalArgumentException("no program to run for " + id);
            }
            argv = List.copyOf(argv);
            environment = Map.copyOf(environment);
            readable = List.copyOf(readable);
            writable = List.copyOf(writable);
        }
    }

    /**
     * @param exit 0..255; 126 and 127 as shells use them, with the reason in {@code problem}
     * @param signal that killed it; 0: none
     * @param lost the runner died with it (container killed); exit and signal mean nothing then
     * @param oomKilled as far as it can be known
     * @param peakRssBytes of the largest process, or of all of them together when that was seen to be more
     * @param logTail last 8 KiB of both streams
     * @param problem what else there is to say, also of a success; empty: nothing
     */
    record End(
            int exit,
            int signal,
            boolean lost,
            boolean oomKilled,
            long wallMillis,
            long userMillis,
            long systemMillis,
            long peakRssBytes,
            String logTail,
            String problem) {

        /** Its runner is gone. */
        static End lost(String problem) {
            return new End(0, 0, true, false, 0, 0, 0, 0, "", problem);
        }

        /** It never ran. */
        static End unstarted(int exit, int signal, String problem) {
            return new End(exit, signal, false, false, 0, 0, 0, 0, "", problem);
        }

        public boolean success() {
            return !lost && exit == 0 && signal == 0;
        }
    }

    /** Told from one thread of the host's, in order; must return quickly. */
    interface Listener {
        /** Not told of a command that ended before this could be seen. */
        void started(CommandId id);

        void ended(CommandId id, End end);

        /** A runner connected and still has these commands running (after a restart of this process). */
        void reattached(List<CommandId> running);
    }
}
