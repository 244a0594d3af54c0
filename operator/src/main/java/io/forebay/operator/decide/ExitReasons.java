package io.forebay.operator.decide;

import io.forebay.api.v1alpha1.Phase;

/** What the coordinator's exit codes mean (the README has them all), where it could not say more. */
final class ExitReasons {
    private ExitReasons() {}

    static Phase phase(int code) {
        return switch (code) {
            case 0 -> Phase.SUCCEEDED;
            case 130, 143 -> Phase.CANCELLED;
            default -> Phase.FAILED;
        };
    }

    static String reason(int code) {
        return switch (code) {
            case 0 -> "Durable";
            case 1 -> "StepFailed";
            case 64 -> "Refused";
            case 65 -> "InputUnavailable";
            case 74 -> "NotDurable";
            case 75 -> "PassingFault";
            case 124 -> "Deadline";
            case 130, 143 -> "Cancelled";
            default -> "InternalFault";
        };
    }

    static String message(int code) {
        return switch (code) {
            case 0 -> "all items are done and all selected outputs durable";
            case 1 -> "a step failed; the records have the logs";
            case 64 -> "the manifest was refused";
            case 65 -> "an input cannot be had";
            case 74 -> "not every output is durable; UNEXPORTED.jsonl in the records lists them";
            case 124 -> "the deadline has passed";
            case 130, 143 -> "cancelled; set spec.run to a new text to go on";
            default -> "the coordinator ended with " + code + "; its pod's log says why";
        };
    }
}
