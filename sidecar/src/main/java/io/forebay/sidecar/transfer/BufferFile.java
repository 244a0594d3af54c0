package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.nio.ByteBuffer;

/** An open file of the buffer. May be used by several threads at once, but not any more once it is closed. */
interface BufferFile extends AutoCloseable {

    /** Fills the direct buffer from there, or up to the end of the file. @return bytes read */
    int read(ByteBuffer to, long offset) throws BufferIoException;

    /** Writes all that remains in the direct buffer. */
    void write(ByteBuffer from, long offset) throws BufferIoException;

    /** What lies beyond the end of what was written reads as zeros. */
    void resize(long size) throws BufferIoException;

    long size() throws BufferIoException;

    /**
     * First offset from there on that may hold other than zeros; the file's size: none. (Its contrary would be slow: to find a
     * hole, tmpfs looks at every page on the way.)
     */
    long nextData(long offset) throws BufferIoException;

    /** Sets permission bits and modification time, as far as they are known (mode unknown: 0644). */
    void describe(FileMeta meta) throws BufferIoException;

    @Override
    void close();

    /** Opens them. */
    interface Opener {
        /** A new, empty file; one that has this name loses it, but whoever has it open keeps it unchanged. */
        BufferFile create(String path) throws BufferIoException;

        /** For reading. */
        BufferFile open(String path) throws BufferIoException;
    }
}
