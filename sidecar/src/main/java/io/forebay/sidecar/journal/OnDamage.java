package io.forebay.sidecar.journal;

/** What {@link JournalFile#open} does about bytes that were durable once and have changed. */
public enum OnDamage {
    /** Refuses with {@link JournalException.Kind#DAMAGED}. */
    REFUSE,
    /**
     * Gives all records that are still whole and says so ({@link Recovered#damaged}): the caller believes no file that it has
     * not verified by checksum. The damaged file is kept beside the new one.
     */
    SALVAGE
}
