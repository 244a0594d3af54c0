package io.forebay.operator.decide;

import io.forebay.api.v1alpha1.PipelineJobStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * @param again when to look again if nothing changes before; absent: not at all
 */
public record Decision(List<Move> moves, PipelineJobStatus status, Optional<Duration> again) {
    public Decision {
        moves = List.copyOf(moves);
    }
}
