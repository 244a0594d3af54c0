package io.forebay.operator.decide;

import io.forebay.api.v1alpha1.DataCounts;
import io.forebay.api.v1alpha1.ItemCounts;
import io.forebay.api.v1alpha1.StatusColumns;
import io.forebay.api.value.Bytes;
import io.forebay.message.JobEnd;
import io.forebay.message.JobProgress;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts of a status: from what a coordinator says while it lives, or said at its end. */
record Figures(
        @Nullable ItemCounts items,
        @Nullable DataCounts data,
        @Nullable StatusColumns columns,
        @Nullable Integer workers,
        List<String> errors) {
    static final Figures NONE = new Figures(null, null, null, null, List.of());

    /** @param most workers that the job may have */
    static Figures of(JobProgress p, int most, Instant now) {
        var items = new ItemCounts(p.items(), p.done(), p.failed(), p.running(), p.itemRetries());
        var data = new DataCounts(
                p.totalFiles(),
                p.totalBytes(),
                p.filesStaged(),
                p.bytesStaged(),
                p.filesFlushed(),
                p.bytesFlushed(),
                p.unexported(),
                p.unexportedBytes(),
                Conditions.text(now));
        var rates = p.rates();
        var columns = new StatusColumns(
                p.done() + "/" + p.items(),
                human(p.bytesStaged()) + "/" + human(p.totalBytes()),
                human(p.bytesFlushed()),
                rates == null ? null : human(rates.stagedBytesPerSecond()) + "/s",
                rates == null ? null : human(rates.flushedBytesPerSecond()) + "/s",
                rates == null ? null : String.format(Locale.ROOT, "%.1f/min", rates.itemsPerMinute()),
                p.workers() + "/" + most);
        return new Figures(items, data, columns, p.workers(), p.errors());
    }

    /** At the end; what the message does not tell stays as it was last. */
    Figures endedWith(Optional<JobEnd> message) {
        var ended = message.map(JobEnd::items).orElse(items);
        var moved = message.map(JobEnd::data).orElse(data);
        var last = columns == null ? new StatusColumns(null, null, null, null, null, null, null) : columns;
        var count = ended == null ? last.items() : ended.done() + "/" + ended.total();
        return new Figures(
                ended,
                moved,
                new StatusColumns(count, last.staged(), flushed(moved, last), null, null, null, null),
                0,
                errors);
    }

    private static @Nullable String flushed(@Nullable DataCounts data, StatusColumns last) {
        return data == null || data.bytesFlushed() == null ? last.flushed() : human(data.bytesFlushed());
    }

    private static String human(long bytes) {
        return Bytes.of(bytes).human();
    }
}
