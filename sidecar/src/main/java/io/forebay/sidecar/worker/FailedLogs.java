package io.forebay.sidecar.worker;

import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.StepRun;
import java.nio.file.Path;
import java.util.Map;

/** Where what failed attempts printed outlives the worker. Thread-safe. */
public interface FailedLogs {
    /**
     * Best effort: nothing depends on it. Returns in bounded time.
     *
     * @param told the coordinator has it already, with the last lines of each step
     * @param logs files of this machine with what a step printed, as far as it is kept
     */
    void keep(String key, ItemEnded told, Map<StepRun, Path> logs) throws InterruptedException;
}
