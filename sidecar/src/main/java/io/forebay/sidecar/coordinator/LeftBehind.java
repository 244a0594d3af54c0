package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.Unexported;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the coordinator does not know itself when a run ends without records.
 *
 * @param unreported computed, not exported, and not on record
 * @param folder of this machine where the list goes if the records cannot take it; absent: there is none
 */
public record LeftBehind(List<Unexported> unreported, Optional<Path> folder) {
    /** Workers are elsewhere. */
    public static final LeftBehind NOTHING = new LeftBehind(List.of(), Optional.empty());

    public LeftBehind {
        unreported = List.copyOf(unreported);
    }
}
