package io.forebay.api.job;

import io.forebay.api.value.Bytes;
import io.forebay.api.value.Glob;
import java.time.Duration;
import java.util.List;

/** What absent fields mean; the reference page says the same, which a test holds it to. */
final class JobDefaults {
    static final String NAMESPACE = "default";
    static final Glob INCLUDE = new Glob("**");
    static final Job.SymlinkPolicy SYMLINKS = Job.SymlinkPolicy.FOLLOW;
    static final String OUTPUT_PATH = "**";
    static final List<Job.Tier> TIERS = List.of(
            new Job.Tier(Job.Medium.MEMORY, Bytes.ofGiB(1), null),
            new Job.Tier(Job.Medium.DISK, Bytes.ofGiB(10), null));
    static final int WORKERS = 1;
    static final int SLOTS = 1;
    static final Duration LOCALITY_WAIT = Duration.ofSeconds(60);
    static final int ITEM_RETRIES = 2;
    static final int WORKER_RETRIES = 3;
    static final Duration DRAIN = Duration.ofMinutes(30);
    /** Below the fixed start of the first output's destination. */
    static final String RECORDS_FOLDER = ".forebay/";

    private JobDefaults() {}

    static Bytes largestTier() {
        return TIERS.stream().map(Job.Tier::size).max(Bytes::compareTo).orElseThrow();
    }
}
