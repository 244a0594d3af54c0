package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;

/** A log as objects, where nothing can be appended: one for each batch, merged from time to time. */
final class ObjectLogSink implements RecordLog.Sink {
    private final RecordsFolder folder;
    private final int generation;
    private final LogMerger merger;

    ObjectLogSink(RecordsFolder folder, int generation) {
        this.folder = folder;
        this.generation = generation;
        this.merger = new LogMerger(folder, generation);
    }

    @Override
    public void append(long batch, byte[] bytes) throws StoreException, InterruptedException {
        folder.put(LogObjects.batch(generation, batch), bytes);
        merger.written(batch, bytes);
    }

    @Override
    public void close() {
        merger.close();
    }
}
