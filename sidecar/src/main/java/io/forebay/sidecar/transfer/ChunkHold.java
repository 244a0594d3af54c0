package io.forebay.sidecar.transfer;

/** What a request that moves bytes holds: a permit of its store, then a chunk. */
record ChunkHold(Gate.Permit permit, Chunk chunk) implements Hold {

    /** Waits for both. @param bytes that will be moved, about */
    static ChunkHold acquire(ChunkPool pool, Gate gate, Gate.Claim claim, long bytes) throws InterruptedException {
        var permit = gate.acquire(claim, ChunkPool.sizeFor(bytes));
        try {
            return new ChunkHold(permit, pool.acquire(bytes));
        } catch (InterruptedException | RuntimeException e) {
            permit.close();
            throw e;
        }
    }

    @Override
    public void leave() {
        permit.leave();
    }

    @Override
    public void close() {
        chunk.close();
        permit.close();
    }
}
