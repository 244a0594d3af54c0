package io.forebay.sidecar.store;

import io.forebay.api.value.StoreUri;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One S3 bucket, or the file system as one user sees it. Thread-safe. Each call is tried once (retries are {@code
 * transfer}'s business), honours interruption, and classifies what went wrong in the {@link StoreException} it throws.
 *
 * <p>Keys are {@link StoreUri#path()}s: for S3 the object key, for POSIX the absolute path.
 */
public interface Store extends AutoCloseable {

    /** The server, for messages; empty where the URIs say all. */
    default String where() {
        return "";
    }

    /** What it can do; found out once, at opening or first use. */
    Capabilities capabilities();

    /**
     * Streams what lies below a folder or prefix, or the one file that {@code key} names, in no particular order, without
     * holding it in memory. Folders are told only if {@code request.folders()}. Entries that cannot be inputs (device, socket,
     * FIFO, key that leaves the prefix) go to {@link EntrySink#leftOut}.
     *
     * @throws StoreException NOT_FOUND if a POSIX folder or a bucket does not exist; an empty prefix in S3 is no error
     */
    void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException;

    /** What is there now. For POSIX symbolic links are followed. @throws StoreException NOT_FOUND */
    Entry stat(String key) throws StoreException, InterruptedException;

    /** As {@link #stat}, but a symbolic link is told as itself, with its target. */
    default Entry lstat(String key) throws StoreException, InterruptedException {
        return stat(key);
    }

    /**
     * Reads bytes [offset, offset + length) of exactly this version into {@code scratch}, as often as it fills, giving each
     * piece to the sink in order. Returns after the last; a body that ends early is an error of kind TRANSIENT.
     *
     * @param scratch direct buffer of the caller's; its capacity is the piece size; used only during the call
     * @return what the store said about the checksum of the whole object, and whether it was already compared here
     * @throws StoreException CHANGED if it is no longer that version
     */
    ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink)
            throws StoreException, InterruptedException;

    /**
     * Whether the object is still exactly that version, now.
     *
     * @throws StoreException CHANGED (also when it is gone), or whatever prevents the answer
     */
    void checkUnchanged(Version version) throws StoreException, InterruptedException;

    /**
     * Chooses how a file of this size will be staged and names the handle, without leaving anything at the store that has no
     * record: POSIX only computes the temporary name; S3 creates the multipart upload (an id exists only then), and if the request is made
     * {@link StageRequest#again} first removes uploads of exactly this key that have no part.
     */
    StagedFile.Stub prepare(StageRequest request) throws StoreException, InterruptedException;

    /** Whether {@link #prepare} of this asks the store, which may take long; else it only computes. */
    default boolean prepareAsks(StageRequest request) {
        return true;
    }

    /**
     * Opens, writes and seals a small file in one step, where the store has a shorter way than {@link #open} and what follows: many small
     * files cost steps, not bytes. What is left after a failure, and what a caller does who has to begin anew, is as there.
     *
     * @param scratch holds all of the file's bytes
     * @param source asked once, for all of them
     * @param sealing called, by any thread, when the bytes are written and it may take any time from now on
     * @return absent: there is no shorter way; nothing was done
     */
    default Optional<StagedFile> stageWhole(
            StagedFile.Stub stub, PieceSource source, ByteBuffer scratch, Runnable sealing)
            throws StoreException, InterruptedException {
        return Optional.empty();
    }

    /**
     * Looks at a root below which files are going to be staged, so that it is known if it is on another file system by then (was it
     * unmounted?). Without this it is first looked at when the first file is staged.
     */
    default void remember(String root) throws StoreException, InterruptedException {}

    /** Opens the way for the bytes of a prepared file. For POSIX creates parents and the temporary file (anew: one left over is removed). */
    StagedWrite open(StagedFile.Stub stub) throws StoreException, InterruptedException;

    /**
     * Makes a sealed file visible at its final name, whole, replacing what is there. Idempotent: if the temporary name or upload is gone and
     * the final object has the staged size and checksum, it is PUBLISHED; if it is gone and the final object is not that, LOST.
     *
     * @param inline for INLINE files: where the bytes are; absent when they are lost
     */
    PublishOutcome publish(StagedFile file, InlineSource inline) throws StoreException, InterruptedException;

    /**
     * As {@link #publish} for each, in as few steps as the store can; none of them is INLINE.
     *
     * @return an outcome for each, in the same order
     * @throws StoreException one could not be published; others were or were not: publish each by itself to know
     */
    default List<PublishOutcome> publishAll(List<StagedFile> files) throws StoreException, InterruptedException {
        var outcomes = new ArrayList<PublishOutcome>(files.size());
        for (var file : files) {
            outcomes.add(publish(file, new InlineSource.Absent()));
        }
        return outcomes;
    }

    /** After a batch of publishes: makes the names durable (POSIX: fsync of each distinct folder; S3: nothing). */
    void syncFolders(List<String> finalKeys) throws StoreException, InterruptedException;

    /** Removes what was staged: temporary name or upload. Nothing there: no error. */
    void discard(StagedFile.Stub stub) throws StoreException, InterruptedException;

    /** Creates a small object exclusively (link(2), If-None-Match: *). @return false if the key exists already */
    boolean createExclusively(String key, byte[] content) throws StoreException, InterruptedException;

    /** Writes a small object, replacing; durable at return. */
    void put(String key, byte[] content) throws StoreException, InterruptedException;

    /** Reads a small object whole. @throws StoreException NOT_FOUND; TOO_LARGE above {@code limit} bytes */
    byte[] get(String key, int limit) throws StoreException, InterruptedException;

    /** Deletes one file or object; absent is no error. */
    void delete(String key) throws StoreException, InterruptedException;

    @Override
    void close();

    /** Gets pieces in order. The buffer is flipped, valid during the call only. */
    @FunctionalInterface
    interface PieceSink {
        void accept(long offset, ByteBuffer piece) throws java.io.IOException;
    }

    /** Gives bytes [offset, offset + dst.remaining()) of a file in the buffer; fills dst wholly. */
    @FunctionalInterface
    interface PieceSource {
        void fill(long offset, ByteBuffer dst) throws java.io.IOException;

        /** As fill, for bytes that are only looked at (checksums) and not sent now: they do not count against the bandwidth. */
        default void peek(long offset, ByteBuffer dst) throws java.io.IOException {
            fill(offset, dst);
        }
    }

    /** The bytes of an INLINE file, or their loss. */
    sealed interface InlineSource {
        record Present(PieceSource source) implements InlineSource {}

        record Absent() implements InlineSource {}
    }

    /** @see Store#publish */
    enum PublishOutcome {
        PUBLISHED,
        LOST
    }

    /** Gets what a listing finds. */
    interface EntrySink {
        void found(Entry entry) throws StoreException, InterruptedException;

        /** Something that can be no input. @param why for the user: plain words */
        void leftOut(String key, String why);

        /**
         * Something that holds no bytes of anybody's (a temporary file of ours has half of them): nothing is missing without it.
         *
         * @param what it is, as in {@code a FIFO}
         */
        default void noFile(String key, String what) {
            leftOut(key, "it is " + what + ": it holds no bytes that could be staged");
        }

        /** A part of the listing failed in passing and is asked for again; nothing is told twice. */
        default void triedAgain(StoreException why) {}
    }
}
