package io.forebay.sidecar.transfer;

/** What every transfer of one engine uses. */
record Tools(
        ChunkPool pool,
        IoThreads io,
        Retry retry,
        Timing timing,
        TransferConfig config,
        TransferCounters counters,
        BufferFile.Opener files) {}
