package io.forebay.sidecar.step;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Runs commands for the worker, at most {@code slots} of a step at once. Thread-safe; nothing here blocks. */
public interface StepHost extends AutoCloseable {

    /** Queues a command. One that is already queued, running or ended and not acknowledged is not started again. */
    void submit(Command command);

    /** SIGTERM to the whole process group, SIGKILL after the grace. A command that is not running is taken from the queue. */
    void stop(CommandId id, Duration grace);

    /**
     * Whether no process has the file open for writing or mapped writably: the runner takes and gives back a read lease
     * (F_SETLEASE) as the file's owner. false also where it cannot be told.
     */
    CompletableFuture<Boolean> isUnwritten(CommandId id, String path);

    /** The worker has the end of this command in its journal; the runner may forget it. */
    void acknowledge(CommandId id);

    /** Ends the runners: they stop what still runs. */
    @Override
    void close();

    record CommandId(long item, int generation, int attempt, String step) {}

    /**
     * @param label prefix of the output lines: the item's key
     * @param environment whole, nothing is inherited but PATH if absent
     * @param readable folders that the command may read; {@code writable} may also be written (Landlock)
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
            Optional<Long> memoryLimitBytes) {}

    /**
     * @param exit 0..255; 126 and 127 as shells use them, with the reason in {@code problem}
     * @param signal that killed it; 0: none
     * @param lost the runner died with it (container killed); exit and signal mean nothing then
     * @param oomKilled as far as it can be known
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
        public boolean success() {
            return !lost && exit == 0 && signal == 0;
        }
    }

    /** Told from threads of the host's; must return quickly. */
    interface Listener {
        void started(CommandId id);

        void ended(CommandId id, End end);

        /** A runner connected and still has these commands running (after a restart of this process). */
        void reattached(List<CommandId> running);
    }
}
