package io.forebay.sidecar.worker;

import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.StepRun;
import io.forebay.sidecar.step.StepHost;
import io.forebay.sidecar.step.StepHost.CommandId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.IdentityHashMap;

/**
 * What an attempt's commands printed, when it has ended: after a failure it is handed on where the coordinator has been told less of it than
 * there is; then it is removed. Thread-safe.
 */
final class LogStage {
    private final StepEnvironment environment;
    private final FailedLogs kept;

    LogStage(StepEnvironment environment, FailedLogs kept) {
        this.environment = environment;
        this.kept = kept;
    }

    void keep(String key, ItemEnded told) throws InterruptedException {
        var logs = new IdentityHashMap<StepRun, Path>();
        boolean more = false;
        for (var run : told.steps()) {
            var file = Path.of(
                    environment.logFile(new CommandId(told.item(), told.generation(), told.attempt(), run.step())));
            try {
                more |= Files.size(file) > StepHost.TAIL;
                logs.put(run, file);
            } catch (IOException e) {
                // It printed nothing, or its log is gone: the tail is what there is.
            }
        }
        if (more) {
            kept.keep(key, told, logs);
        }
    }

    /** Of an attempt that is over, so that a job of many items does not fill the control folder, which may lie in memory. */
    void remove(Attempt attempt) {
        for (var run : attempt.runs()) {
            var id = new CommandId(attempt.item(), attempt.generation(), attempt.number(), run.step());
            try {
                Files.deleteIfExists(Path.of(environment.logFile(id)));
            } catch (IOException e) {
                // It goes with the buffer.
            }
        }
    }
}
