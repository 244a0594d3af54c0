package io.forebay.sidecar.journal;

/** Whose record it is. */
record Attempt(long item, int generation, int attempt) {
    static Attempt of(JournalRecord entry) {
        return new Attempt(entry.item(), entry.generation(), entry.attempt());
    }
}
