package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;

/** A log as objects, one for each batch, where nothing can be appended. */
final class ObjectLogSink implements RecordLog.Sink {
    private final RecordsFolder folder;
    private final int generation;

    ObjectLogSink(RecordsFolder folder, int generation) {
        this.folder = folder;
        this.generation = generation;
    }

    static String segment(int generation, long batch) {
        return "%s/%08d".formatted(Claim.name("log", generation), batch);
    }

    @Override
    public void append(long batch, byte[] bytes) throws StoreException, InterruptedException {
        folder.put(segment(generation, batch), bytes);
    }

    @Override
    public void close() {}
}
