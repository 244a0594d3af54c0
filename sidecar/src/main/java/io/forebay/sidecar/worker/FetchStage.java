package io.forebay.sidecar.worker;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import io.forebay.sidecar.store.Version;
import io.forebay.sidecar.transfer.Transfers;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.io.IOException;
import java.util.List;

/** Stage-in: brings an item's inputs, exactly the versions planned, into its folder. Thread-safe. */
final class FetchStage {
    /** Files of one item at once; the bytes in flight are bounded by the transfer engine. */
    private static final int FILES_AT_ONCE = 64;

    private final Stores stores;
    private final Transfers transfers;
    private final StepUsers users;

    FetchStage(Stores stores, Transfers transfers, StepUsers users) {
        this.stores = stores;
        this.transfers = transfers;
        this.users = users;
    }

    /**
     * @param folder of the buffer; each input lands at {@code folder/<input name>/<relative>}
     * @param nextTier where to go when this tier fails; -1: there is none
     * @return CRC32C of each, in order (0 for links and folders)
     */
    List<Long> fetch(List<ItemInput> inputs, String folder, int nextTier) throws AttemptFailed, InterruptedException {
        if (inputs.isEmpty()) {
            return List.of();
        }
        try {
            return Fan.out("fetch", inputs, FILES_AT_ONCE, input -> one(input, folder, nextTier));
        } catch (AttemptFailed | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AttemptFailed(Failures.own(e));
        }
    }

    private Long one(ItemInput input, String folder, int nextTier) throws AttemptFailed, InterruptedException {
        try {
            var path = path(input, folder);
            if (input.relative().endsWith("/") && input.size() == 0) {
                BufferFiles.folders(path);
                return 0L;
            }
            BufferFiles.folders(path.substring(0, path.lastIndexOf('/')));
            if (input.link() != null) {
                BufferFiles.link(input.link(), path);
                return 0L;
            }
            var uri = StoreUri.parse(input.uri());
            var version = Version.parse(uri.path(), input.pin());
            var meta = new FileMeta(input.mode(), input.mtimeNanos(), null);
            long sum = transfers.fetch(stores.at(uri), version, meta, path).crc32c();
            users.openInput(path);
            return sum;
        } catch (StoreException e) {
            throw new AttemptFailed(Failures.fetch(input.uri(), e));
        } catch (BufferIoException e) {
            throw new AttemptFailed(failed(e.getMessage() + " while fetching " + input.uri(), e.noSpace(), nextTier));
        } catch (PosixException e) {
            throw new AttemptFailed(
                    e.is(Errno.ENOSPC) || e.is(Errno.EDQUOT)
                            ? failed("buffer: " + e.getMessage() + " while fetching " + input.uri(), true, nextTier)
                            : Failures.badInputName(input.uri(), String.valueOf(e.getMessage())));
        } catch (IllegalArgumentException | IOException e) {
            throw new AttemptFailed(Failures.badInputName(input.uri(), String.valueOf(e.getMessage())));
        }
    }

    /** No space within a reservation: others fill the file system. */
    private static Failure failed(String message, boolean noSpace, int nextTier) {
        return noSpace && nextTier < 0 ? Failures.crowdedOut(message) : Failures.bufferFull(message, nextTier);
    }

    /** Where an input lies. @throws IllegalArgumentException for a key that cannot be a path */
    static String path(ItemInput input, String folder) {
        return folder + "/" + input.input() + "/" + InputNames.toPath(input.relative());
    }

    /** After a restart: whether all inputs are still in the buffer as they were fetched. */
    boolean stillThere(List<ItemInput> inputs, List<Long> crc32c, String folder) throws InterruptedException {
        if (inputs.size() != crc32c.size()) {
            return false;
        }
        for (int i = 0; i < inputs.size(); i++) {
            var input = inputs.get(i);
            if (input.link() != null || input.relative().endsWith("/")) {
                continue;
            }
            try {
                if (transfers.checksum(path(input, folder)) != crc32c.get(i)) {
                    return false;
                }
            } catch (BufferIoException e) {
                return false;
            }
        }
        return true;
    }

    /** Whether the inputs are still at their places as they were planned; what cannot be asked counts as not there. */
    boolean canFetch(List<ItemInput> inputs) throws InterruptedException {
        for (var input : inputs) {
            if (input.link() != null || input.relative().endsWith("/")) {
                continue;
            }
            try {
                var uri = StoreUri.parse(input.uri());
                stores.at(uri).checkUnchanged(Version.parse(uri.path(), input.pin()));
            } catch (StoreException | IllegalArgumentException e) {
                return false;
            }
        }
        return true;
    }
}
