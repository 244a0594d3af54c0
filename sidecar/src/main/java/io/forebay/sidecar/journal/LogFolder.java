package io.forebay.sidecar.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The folder that holds a journal. Tests put one in its place that loses what was not synced. */
interface LogFolder {
    boolean exists(String name);

    /** Of an existing file, for reading and writing. */
    LogFile open(String name) throws IOException;

    /** Empty; an older file of that name is gone. */
    LogFile create(String name) throws IOException;

    /** Replaces what has the new name. Durable after {@link #sync}. */
    void rename(String from, String to) throws IOException;

    /** No error if it is not there. */
    void delete(String name) throws IOException;

    /** Makes names durable. */
    void sync() throws IOException;

    /** The path of a name in it, for messages. */
    String path(String name);

    /** Used by one thread at a time, which nobody may interrupt. */
    interface LogFile extends Closeable {
        long size() throws IOException;

        /** Fills the buffer from {@code offset} on, less only at the end of the file. */
        void read(ByteBuffer into, long offset) throws IOException;

        /** All of it. */
        void write(ByteBuffer bytes, long offset) throws IOException;

        /** Makes contents and size durable (fdatasync). After it has failed once its answers mean nothing. */
        void force() throws IOException;

        void truncate(long size) throws IOException;
    }
}
