package io.forebay.operator.decide;

import io.forebay.api.v1alpha1.PipelineJobStatus;
import io.forebay.api.v1alpha1.StatusCondition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The conditions of a status on their way from the last one to the next: the time of a condition changes with its value only. */
final class Conditions {
    private final Map<String, StatusCondition> all = new LinkedHashMap<>();
    private final long generation;
    private final String now;

    Conditions(@Nullable PipelineJobStatus last, long generation, Instant now) {
        this.generation = generation;
        this.now = text(now);
        if (last != null) {
            last.conditions().forEach(c -> all.put(c.type(), c));
        }
    }

    Conditions set(String type, boolean value, String reason, @Nullable String message) {
        var status = value ? "True" : "False";
        var before = all.get(type);
        var since = before != null && before.status().equals(status) ? before.lastTransitionTime() : now;
        all.put(type, new StatusCondition(type, status, reason, message, since, generation));
        return this;
    }

    /** Says no only where a yes was said before: what never was is no news. */
    Conditions clear(String type, String reason) {
        return all.containsKey(type) ? set(type, false, reason, null) : this;
    }

    Conditions restart() {
        all.clear();
        return this;
    }

    List<StatusCondition> all() {
        return List.copyOf(all.values());
    }

    static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
