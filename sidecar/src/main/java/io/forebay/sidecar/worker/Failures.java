package io.forebay.sidecar.worker;

import io.forebay.message.Messages.Failure;
import io.forebay.sidecar.store.StoreException;

/** What each way to fail means: exit code class, whether it counts against {@code retry.item}, whether trying again can help. */
final class Failures {
    private static final int STEP = 1;
    private static final int INPUT = 65;
    private static final int OUTPUT = 74;
    private static final int PASSING = 75;
    private static final int DEADLINE = 124;
    private static final int CANCELLED = 130;

    /** The word of a drain that concerns this worker alone: the job goes on elsewhere. */
    static final String LEAVING = "LEAVING";

    private Failures() {}

    static Failure fetch(String uri, StoreException e) {
        boolean transientFault = e.kind().worthRetrying();
        return switch (e.kind()) {
            case CHANGED ->
                new Failure(
                        "InputChanged",
                        uri + " is no longer the version that was planned: " + e.getMessage()
                                + ". Start the job again to plan with the new version.",
                        INPUT,
                        true,
                        true,
                        false,
                        false);
            case TRANSIENT, CREDENTIALS, DENIED, NOT_FOUND, NO_SPACE, CORRUPT, BAD_NAME, TOO_LARGE, PERMANENT ->
                new Failure(
                        "Fetch",
                        "cannot fetch " + uri + ": " + e.getMessage(),
                        INPUT,
                        true,
                        !transientFault,
                        e.wholeStore(),
                        false);
        };
    }

    /** The store calls it the same version, but it is not what an earlier attempt read. Both: CRC32C, 8 hexadecimal digits. */
    static Failure otherBytes(String uri, String before, String now) {
        return new Failure(
                "InputChanged",
                uri
                        + " was changed during the run: it has other bytes than an earlier attempt of this item read (CRC32C "
                        + now
                        + " instead of " + before
                        + "), although the store calls it the same version. Nothing of the item is"
                        + " published from both; start the job again to run it with what is there now.",
                INPUT,
                true,
                true,
                false,
                false);
    }

    /** What all items need cannot be had: the job ends. */
    static Failure shared(Failure f) {
        return new Failure(
                f.reason(), "an input that all items share: " + f.message(), f.code(), true, true, true, false);
    }

    static Failure badInputName(String uri, String why) {
        return new Failure(
                "Fetch", "cannot stage " + uri + " into the buffer: " + why, INPUT, true, true, false, false);
    }

    /** All items need it, and what could not be exported is in its way. */
    static Failure noRoom(String message) {
        return new Failure("BufferFull", message, PASSING, true, true, false, false);
    }

    /** The buffer has no tier for it. */
    static Failure neverFits(String message) {
        return new Failure("BufferFull", message, INPUT, true, true, false, false);
    }

    /** Outgrew its tier, or the tier's file system failed under it. @param nextTier -1: there is none */
    static Failure bufferFull(String message, int nextTier) {
        return new Failure("BufferFull", message, STEP, nextTier < 0, nextTier < 0, false, nextTier >= 0);
    }

    /** Its tier would hold it but for what others have there, or what could not be exported. */
    static Failure crowdedOut(String message) {
        return new Failure("BufferFull", message, PASSING, false, false, false, false);
    }

    static Failure distrusted(String tier) {
        return new Failure(
                "BufferFull",
                "its tier (" + tier + ") was below its floor while it wrote: its results are not trusted",
                STEP,
                false,
                false,
                false,
                false);
    }

    static Failure stepFailed(String message) {
        return new Failure("StepFailed", message, STEP, true, false, false, false);
    }

    /** The runner died, and with it the commands that it held. */
    static Failure stepLost(String message) {
        return new Failure("StepLost", message, STEP, true, false, false, false);
    }

    /** A step left something in $(OUT) that this process may not read. */
    static Failure closedOutput(String message) {
        return new Failure("OutputUnreadable", message, STEP, true, false, false, false);
    }

    static Failure missingOutput(String message) {
        return new Failure("MissingOutput", message, STEP, true, false, false, false);
    }

    static Failure flush(String message, StoreException e) {
        return new Failure("Flush", message, OUTPUT, true, true, e.wholeStore(), false);
    }

    /** What a step left can be published as it is by nobody: the step, or the rule that selects it, must be mended. */
    static Failure badOutput(String message) {
        return new Failure("BadOutput", message, STEP, true, true, false, false);
    }

    static Failure nameConflict(String message) {
        return new Failure("NameConflict", message, OUTPUT, true, true, false, false);
    }

    static Failure stillWritten(String relative) {
        return new Failure(
                "OutputChanging",
                "output " + relative
                        + " is still being written after the last step ended; make the command wait for what "
                        + "it starts in the background",
                OUTPUT,
                true,
                false,
                false,
                false);
    }

    /** Kept by an earlier run, and not to be trusted; the inputs that would make them again are gone. */
    static Failure keptDamaged(String key, String why) {
        return new Failure(
                "KeptDamaged",
                "outputs of item " + key + " that an earlier run kept are not published: " + why
                        + ". They cannot be made again, since an input of the item is gone or changed: bring it back and run the job"
                        + " again, or take by hand what is whole where they are kept",
                OUTPUT,
                true,
                true,
                false,
                false);
    }

    static Failure piecesLost(String message) {
        return new Failure("PiecesLost", message, PASSING, false, false, false, false);
    }

    /** Again and again: the destination keeps nothing, or something else. */
    static Failure piecesNotKept(String message) {
        return new Failure("Flush", message, OUTPUT, true, true, false, false);
    }

    /** @param cause of the drain: DEADLINE, CANCELLED, STOPPED, FATAL, LEAVING */
    static Failure drained(String cause) {
        return switch (cause) {
            case "DEADLINE" ->
                new Failure(
                        "DeadlineExceeded",
                        "the job's deadline (spec.deadlines.run) passed",
                        DEADLINE,
                        false,
                        true,
                        false,
                        false);
            case LEAVING ->
                new Failure("WorkerLeft", "its worker was told to end", PASSING, false, false, false, false);
            case "CANCELLED" -> new Failure("Cancelled", "the job was cancelled", CANCELLED, false, true, false, false);
            case "STOPPED" -> stopped("the job was ended, since another item failed (onItemFailure: Stop)");
            case "FATAL" -> stopped("the job was ended, since what another item failed of would fail every item");
            case "NO_ROOM" -> stopped("the job was ended, since no worker's buffer has room for what is left");
            default -> stopped("the job was ended: " + cause);
        };
    }

    private static Failure stopped(String message) {
        return new Failure("Stopped", message, STEP, false, true, false, false);
    }

    static Failure own(Throwable e) {
        return new Failure("Internal", "a fault of Forebay's own: " + e, 70, true, false, false, false);
    }
}
