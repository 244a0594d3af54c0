package io.forebay.sidecar.apart;

import io.forebay.message.JobEnd;
import io.forebay.message.JobProgress;
import io.forebay.sidecar.coordinator.Coordinator;
import org.jspecify.annotations.Nullable;

/** What {@code /status} says: the coordinator's figures, and what only its process knows. Thread-safe. */
final class StatusPage {
    private final Coordinator coordinator;
    private volatile JobProgress.@Nullable Rates rates;
    private volatile @Nullable JobEnd end;

    StatusPage(Coordinator coordinator) {
        this.coordinator = coordinator;
    }

    void rates(JobProgress.Rates measured) {
        rates = measured;
    }

    /** Known while workers still have to hear of it. */
    void ended(JobEnd how) {
        end = how;
    }

    JobProgress now() {
        return coordinator.progress().with(rates, end);
    }
}
