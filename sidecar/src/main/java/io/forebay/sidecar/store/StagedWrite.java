package io.forebay.sidecar.store;

import io.forebay.sidecar.store.Store.PieceSource;
import java.nio.ByteBuffer;

/** The bytes of one staged file on their way. Parts may be written in any order and at once, each any number of times. */
public interface StagedWrite extends AutoCloseable {
    /** How many parts the file is cut into; at least 1, also for an empty file. */
    int parts();

    long offset(int part);

    long length(int part);

    /**
     * Sends one part, and checks that the store received these bytes.
     *
     * @param scratch direct buffer of the caller's
     * @param source gives the bytes; called in order of offset; again from the start of the part when asked to repeat
     * @return CRC32C of the part
     */
    long write(int part, PieceSource source, ByteBuffer scratch) throws StoreException, InterruptedException;

    /** After all parts: makes them durable (fsync), sets the metadata. @throws StoreException TRANSIENT: must be staged anew */
    StagedFile seal() throws StoreException, InterruptedException;

    /** Gives descriptors back; what was written stays until {@link Store#discard}. */
    @Override
    void close();
}
