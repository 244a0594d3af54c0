package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Moves files between stores and the buffer, in parts, within the budgets. Thread-safe; each call blocks until its file is whole. */
public interface Transfers {

    /**
     * Brings one version into a new file of the buffer (created, or overwritten).
     *
     * @param path absolute path in the buffer; its folder exists
     * @throws StoreException after the retries; nothing is promised about the file then
     * @throws BufferIoException the buffer's own file failed (ENOSPC, EIO)
     */
    Fetched fetch(Store from, Version version, FileMeta meta, String path)
            throws StoreException, BufferIoException, InterruptedException;

    /**
     * Stages the bytes [0, size) of a file of the buffer; durable, invisible at return.
     *
     * @param stub from {@link Store#prepare}; its size is the file's
     * @throws BufferIoException the source failed, or ended before {@code stub.size()}
     */
    StagedFile stage(Store to, StagedFile.Stub stub, String path)
            throws StoreException, BufferIoException, InterruptedException;

    /**
     * Makes a sealed file visible, as {@link Store#publish}, with retries and within the store's limits; an INLINE file's bytes
     * are sent now.
     *
     * @param path of the file in the buffer; absent: it is lost, or not INLINE
     * @throws BufferIoException the source of an INLINE file failed
     */
    Store.PublishOutcome publish(Store to, StagedFile file, @Nullable String path)
            throws StoreException, BufferIoException, InterruptedException;

    /**
     * As {@link Store#publishAll}, within the store's limits. Tried once: after a failure publish each by itself.
     *
     * @param files none of them INLINE; few enough for one request
     */
    List<Store.PublishOutcome> publishAll(Store to, List<StagedFile> files) throws StoreException, InterruptedException;

    /** CRC32C of a file of the buffer, 0 to 2^32-1. */
    long checksum(String path) throws BufferIoException, InterruptedException;

    /** Calls a store operation with the same retries as the transfers, for stat, publish, discard... */
    <T> T retrying(String what, StoreCall<T> call) throws StoreException, InterruptedException;

    @FunctionalInterface
    interface StoreCall<T> {
        T call() throws StoreException, InterruptedException;
    }

    /** @param crc32c 0 to 2^32-1 @param verified compared with the store's own checksum @param receipt what the store told */
    record Fetched(long size, long crc32c, boolean verified, ReadReceipt receipt) {}

    /** The buffer's file system failed. */
    final class BufferIoException extends Exception {
        private static final long serialVersionUID = 1L;
        private final boolean noSpace;

        public BufferIoException(String message, boolean noSpace, Throwable cause) {
            super(message, cause);
            this.noSpace = noSpace;
        }

        public boolean noSpace() {
            return noSpace;
        }
    }
}
