package io.forebay.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages between a worker (asks) and the coordinator (answers). Each has one answer; each may be repeated any number
 * of times with the same effect, since answers get lost. Times are milliseconds, sizes bytes, names as in {@link
 * io.forebay.api.name.NameBytes}.
 */
public final class Messages {
    private Messages() {}

    // ---- registration and leases

    /**
     * A worker says hello, at its start and whenever the coordinator's generation changed.
     *
     * @param worker stable name of the place (pod index, node, "local")
     * @param instance one process life of it, random
     * @param holding attempts that it holds in its buffer (from its journal after a restart)
     */
    public record Register(String worker, String instance, String node, int slots, List<Holding> holding) {}

    /** @param state what the worker knows of it: the name of an item state */
    public record Holding(long item, String itemId, int generation, int attempt, String state) {}

    /**
     * @param generation of the coordinator; workers obey the highest they have seen
     * @param manifest the job, canonical JSON
     * @param drop indexes of {@code holding} that are no longer wanted: kill, discard, forget
     */
    public record Registered(int generation, long leaseMillis, String manifest, List<Long> drop) {}

    /** @param max most items wanted now @param localBytes free space the worker can admit items into */
    public record LeaseRequest(String worker, String instance, int generation, int max, long localBytes) {}

    /**
     * @param drained nothing is left and nothing can come back: the worker may leave when its own items have ended
     * @param retryAfterMillis when to ask again, if {@code items} is empty
     */
    public record Leases(List<ItemLease> items, boolean drained, long retryAfterMillis) {}

    /**
     * One attempt of one item, granted to one worker.
     *
     * @param item index in the plan
     * @param itemId hash of the item's identity, hexadecimal
     * @param generation of the item: raised when pieces of a decided commit were lost
     * @param attempt 1, 2, ... over all workers
     * @param key what people call it: the input's key below its prefix, or the group; the job's name without forEach
     * @param avoidTier index of the first tier that may hold it: raised after it outgrew a tier
     * @param alone it may run only while nothing else does (suspected of killing its neighbours)
     * @param sums CRC32C of each input as an earlier attempt read it, in order: 8 hexadecimal digits, empty for links and folders;
     *     no elements: none is known. An attempt that reads other bytes fails
     */
    public record ItemLease(
            long item,
            String itemId,
            int generation,
            int attempt,
            String key,
            List<ItemInput> inputs,
            int avoidTier,
            boolean alone,
            List<String> sums) {
        public ItemLease {
            sums = orNone(sums);
        }
    }

    /** Absent in what an earlier version wrote. */
    private static List<String> orNone(@Nullable List<String> list) {
        return list == null ? List.of() : List.copyOf(list);
    }

    /**
     * One file to bring in.
     *
     * @param input the input's name in the manifest
     * @param uri of the file
     * @param relative its key below the input's prefix: where it lies below the item's input folder
     * @param pin the version planned, as {@code Version.pin()} wrote it
     * @param link target, if the file is a symbolic link that is kept as one
     */
    public record ItemInput(
            String input,
            String uri,
            String relative,
            long size,
            String pin,
            int mode,
            long mtimeNanos,
            @Nullable String link) {}

    /** Inputs that are staged once per worker and shared by its items. */
    public record SharedInputs(List<ItemInput> inputs) {}

    /**
     * Six times in a lease.
     *
     * @param number counts up in one process: what arrives after a later one says nothing about what is held
     * @param states item index to state name, of all attempts held
     */
    public record Renew(
            String worker,
            String instance,
            int generation,
            long number,
            Map<Long, String> states,
            WorkerCounters counters) {}

    /** Since the worker's start. */
    public record WorkerCounters(
            long bytesStaged,
            long filesStaged,
            long bytesFlushed,
            long filesFlushed,
            long retries,
            long bufferUsed,
            long bufferSize,
            long dirtyBytes,
            @Nullable String lastMessage) {}

    /**
     * @param generation of the coordinator that answers: what one says that has been succeeded does not count
     * @param cancel items to stop and discard
     * @param recall items that another worker could begin at once: to be given back ({@link Release}) unless their first step has started
     * @param drain why no further step may start; absent: go on
     */
    public record Renewed(
            int generation,
            List<Long> cancel,
            List<Long> recall,
            @Nullable Drain drain) {}

    /**
     * @param cause DEADLINE, CANCELLED, STOPPED (onItemFailure: Stop), FATAL; LEAVING: this worker alone ends, and what it cannot publish
     *     is given back
     * @param untilMillis most time left for publishing
     */
    public record Drain(String cause, long untilMillis, boolean killSteps) {}

    // ---- staging and commit

    /** What an attempt is about to leave, invisible, at a destination; recorded before a byte of it is sent, so that it can be removed. */
    public record Staging(
            String worker, String instance, long item, int generation, int attempt, List<StagedOutput> staged) {}

    /**
     * One output file on its way.
     *
     * @param output name in the manifest
     * @param finalUri where it will be visible
     * @param root path of the folder that the manifest fixes: below it folders are made, and no symbolic link is followed
     * @param kind TEMP (POSIX temporary file), UPLOAD (S3 multipart), INLINE (small object, PUT at the commit from the
     *     buffer), LINK (symbolic link), FOLDER (empty folder)
     * @param handle temporary name or upload id; empty for INLINE
     * @param parts for UPLOAD: part ETags in order (index 0 is part 1); empty before sealing
     * @param size bytes; -1 before sealing
     * @param crc32c of the whole file, 8 hexadecimal digits; empty before sealing
     * @param relative path below $(OUT)
     * @param readBack whoever publishes it reads it back from the destination and compares (verify: ReadBack)
     */
    public record StagedOutput(
            String output,
            String relative,
            String finalUri,
            String root,
            String kind,
            String handle,
            List<Part> parts,
            long size,
            String crc32c,
            int mode,
            long mtimeNanos,
            @Nullable String link,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean readBack) {}

    public record Part(int number, String etag, long size, String crc32c) {}

    /** The coordinator's yes or no to Staging and to the reports. @param refusal absent: yes */
    public record Answer(@Nullable Refusal refusal) {
        public static final Answer YES = new Answer(null);
    }

    /**
     * @param reason FENCED (this attempt may not publish), NAME_CONFLICT (another item publishes this name), STALE (this
     *     coordinator has been succeeded; find the new one)
     */
    public record Refusal(String reason, String message) {}

    /**
     * All outputs of an attempt are staged: may they be published? The yes is durable before it is given.
     *
     * @param success whether the item's steps succeeded (outputs {@code when: Failure} are published for failed ones)
     * @param onClose one file of {@code publish: OnClose}, decided by itself
     */
    public record CommitRequest(
            String worker,
            String instance,
            long item,
            int generation,
            int attempt,
            boolean success,
            boolean onClose,
            List<StagedOutput> outputs) {}

    /**
     * The attempt has ended and what was granted is published.
     *
     * @param failure absent: Done
     * @param sums of the inputs as it read them, as in {@link ItemLease}; no elements: it did not get so far
     */
    public record ItemEnded(
            String worker,
            String instance,
            long item,
            int generation,
            int attempt,
            @Nullable Failure failure,
            List<StepRun> steps,
            List<StagedOutput> published,
            List<Unexported> unexported,
            Timing timing,
            List<String> sums) {
        public ItemEnded {
            sums = orNone(sums);
        }
    }

    /**
     * @param reason the reason word: StepFailed, Fetch, InputChanged, MissingOutput, BadOutput, NameConflict, BufferFull, Flush...
     * @param code the exit code class of this failure (DESIGN 10)
     * @param counted whether it counts against retry.item
     * @param permanent retrying cannot help
     * @param fatal no item can succeed: the job ends now (no such bucket, no permission)
     * @param moveDown run again on the next tier
     */
    public record Failure(
            String reason,
            String message,
            int code,
            boolean counted,
            boolean permanent,
            boolean fatal,
            boolean moveDown) {}

    /** @param signal 0: none @param logTail last lines of both streams */
    public record StepRun(
            String step,
            List<String> command,
            int exit,
            int signal,
            long wallMillis,
            long userMillis,
            long systemMillis,
            long peakRssBytes,
            String logTail) {}

    public record Unexported(
            String item,
            String output,
            String path,
            String to,
            long size,
            String cause,
            @Nullable String keptAt) {}

    public record Timing(
            long leasedAt, long fetchMillis, long waitMillis, long runMillis, long flushMillis, long commitMillis) {}

    /** How a repeated ItemEnded was taken. @param again the item will be leased again @param fenced forget it */
    public record Ended(boolean again, boolean fenced) {}

    // ---- meeting and parting

    /**
     * Which job a coordinator has, for a worker that does not know yet whether it is the right one.
     *
     * @param manifest the job, canonical JSON
     */
    public record JobInfo(String job, String manifest) {}

    /** The worker ends: it holds nothing any more. @param counters its last */
    public record Leave(String worker, String instance, WorkerCounters counters) {}

    /**
     * The worker gives attempts back unstarted (drain, node trouble); not counted.
     *
     * @param noRoom why its buffer has no room for them as long as it runs; absent: they may come to it again
     */
    public record Release(
            String worker,
            String instance,
            List<AttemptId> attempts,
            @Nullable String noRoom) {}

    /** As in {@link ItemLease}. */
    public record AttemptId(long item, int generation, int attempt) {}
}
