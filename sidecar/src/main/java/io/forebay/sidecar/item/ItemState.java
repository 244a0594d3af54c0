package io.forebay.sidecar.item;

/** Where an item is on its way. */
public enum ItemState {
    PENDING,
    LEASED,
    FETCHING,
    READY,
    RUNNING,
    FLUSHING,
    COMMITTING,
    DONE,
    FAILED;

    public boolean ended() {
        return this == DONE || this == FAILED;
    }
}
