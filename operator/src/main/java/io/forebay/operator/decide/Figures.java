package io.forebay.operator.decide;

import com.fasterxml.jackson.databind.JsonNode;
import io.forebay.api.v1alpha1.DataCounts;
import io.forebay.api.v1alpha1.ItemCounts;
import io.forebay.api.v1alpha1.StatusColumns;
import io.forebay.api.value.Bytes;
import io.forebay.operator.observe.CoordinatorWord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Counts of a status: from what a coordinator says while it lives, or said at its end. */
record Figures(
        @Nullable ItemCounts items,
        @Nullable DataCounts data,
        @Nullable StatusColumns columns,
        @Nullable Integer workers) {
    static Figures of(CoordinatorWord w, int most, Instant now) {
        var items = new ItemCounts(w.items(), w.done(), w.failed(), w.running(), w.retries());
        var data = new DataCounts(
                w.totalFiles(),
                w.totalBytes(),
                w.filesStaged(),
                w.bytesStaged(),
                w.filesFlushed(),
                w.bytesFlushed(),
                w.unexported(),
                w.unexportedBytes(),
                Conditions.text(now));
        var columns = new StatusColumns(
                w.done() + "/" + w.items(),
                Bytes.of(w.bytesStaged()).human() + "/"
                        + Bytes.of(w.totalBytes()).human(),
                Bytes.of(w.bytesFlushed()).human(),
                null,
                null,
                null,
                w.workers() + "/" + most);
        return new Figures(items, data, columns, w.workers());
    }

    /** At the end; what the message does not tell stays as it was last. */
    Figures endedWith(JsonNode message) {
        if (!message.has("items")) {
            return new Figures(items, data, columns, 0);
        }
        var i = message.get("items");
        var total = i.path("total").asLong();
        var done = i.path("done").asLong();
        var ended = new ItemCounts(total, done, i.path("failed").asLong(), 0L, items == null ? null : items.retries());
        var last = columns == null ? new StatusColumns(null, null, null, null, null, null, null) : columns;
        return new Figures(
                ended,
                unexported(message),
                new StatusColumns(done + "/" + total, last.staged(), last.flushed(), null, null, null, null),
                0);
    }

    private @Nullable DataCounts unexported(JsonNode message) {
        if (data == null || !message.has("unexported")) {
            return data;
        }
        return new DataCounts(
                data.filesPlanned(),
                data.bytesPlanned(),
                data.filesStaged(),
                data.bytesStaged(),
                data.filesFlushed(),
                data.bytesFlushed(),
                message.get("unexported").asLong(),
                data.bytesUnexported(),
                data.updated());
    }
}
