package io.forebay.sidecar.transfer;

import java.nio.ByteBuffer;

/** Memory of the pool's, on loan. Given back by {@link #close}, once; nothing else releases it. Used by one thread at a time. */
public final class Chunk implements AutoCloseable {
    private final ChunkPool pool;
    private final ChunkPool.Block block;
    private final int slot;
    private final ByteBuffer bytes;
    private boolean returned;

    Chunk(ChunkPool pool, ChunkPool.Block block, int slot, ByteBuffer bytes) {
        this.pool = pool;
        this.block = block;
        this.slot = slot;
        this.bytes = bytes;
    }

    /** Direct, aligned to 4096 bytes, capacity {@link #size}; its content is arbitrary. */
    public ByteBuffer bytes() {
        return bytes;
    }

    public int size() {
        return bytes.capacity();
    }

    /** Slot within the block; -1: the whole block. */
    int slot() {
        return slot;
    }

    ChunkPool.Block block() {
        return block;
    }

    /** No one may touch {@link #bytes} any more. A second call does nothing. */
    @Override
    public synchronized void close() {
        if (!returned) {
            returned = true;
            pool.giveBack(this);
        }
    }
}
