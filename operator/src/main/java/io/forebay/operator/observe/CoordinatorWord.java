package io.forebay.operator.observe;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What a coordinator says of its job, as its page {@code /status} has it.
 *
 * @param phase Planning, Recovering, Running, Draining or Ended
 */
public record CoordinatorWord(
        String phase,
        long items,
        long done,
        long skipped,
        long failed,
        long running,
        long totalBytes,
        long totalFiles,
        long bytesStaged,
        long filesStaged,
        long bytesFlushed,
        long filesFlushed,
        long retries,
        long unexported,
        long unexportedBytes,
        int workers,
        @Nullable String lastMessage) {
    /** Absent figures are zero: an older or newer coordinator may not have them. */
    public static CoordinatorWord of(JsonNode page) {
        return new CoordinatorWord(
                page.path("phase").asText("Planning"),
                page.path("items").asLong(),
                page.path("done").asLong(),
                page.path("skipped").asLong(),
                page.path("failed").asLong(),
                page.path("running").asLong(),
                page.path("totalBytes").asLong(),
                page.path("totalFiles").asLong(),
                page.path("bytesStaged").asLong(),
                page.path("filesStaged").asLong(),
                page.path("bytesFlushed").asLong(),
                page.path("filesFlushed").asLong(),
                page.path("retries").asLong(),
                page.path("unexported").asLong(),
                page.path("unexportedBytes").asLong(),
                page.path("workers").asInt(),
                page.path("lastMessage").asText(null));
    }

    public boolean planned() {
        return !phase.equals("Planning") && !phase.equals("Recovering");
    }
}
