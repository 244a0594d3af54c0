package io.forebay.sidecar.flush;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedFile.Stub;
import io.forebay.sidecar.store.StagedMessages;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import io.forebay.sidecar.transfer.Transfers;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Consumer;

/** Stages output files: at their destination, whole, durable, invisible. Thread-safe. */
public final class Flusher {
    /** A file that is being written all the time is given up after this many copies. */
    private static final int MOST_COPIES = 5;

    private final Stores stores;
    private final Transfers transfers;
    private final String jobToken;
    private final String owner;
    private final LostAttributes attributes;

    /**
     * @param jobToken a few characters that tell this job's temporary names from others'
     * @param owner this process life: what it stages nobody else stages under the same name, so that it may remove it again even when the
     *     attempt is no longer its own
     * @param tell hears what the user should know
     */
    public Flusher(Stores stores, Transfers transfers, String jobToken, String owner, Consumer<String> tell) {
        this.attributes = new LostAttributes(tell);
        this.stores = stores;
        this.transfers = transfers;
        this.jobToken = jobToken;
        this.owner = owner;
    }

    /**
     * Chooses the invisible place of a file, before anything is made there.
     *
     * @param again another attempt, or another life of this one, may have been at it before
     */
    public StagedOutput prepare(OutputFile file, long item, int generation, int attempt, boolean again)
            throws StoreException, InterruptedException {
        attributes.look(file);
        var store = stores.at(file.to());
        var token = token(file, item, generation, attempt);
        var to = place(file);
        // The slash says to a store that it is a folder.
        var key = file.kind() == OutputFile.Kind.FOLDER && !to.isFolder() ? to.path() + "/" : to.path();
        var request =
                new StageRequest(key, file.root().path(), file.size(), file.meta(), token, again, file.readBack());
        var stub = store.prepareAsks(request)
                ? transfers.retrying("stage " + file.to(), () -> store.prepare(request))
                : store.prepare(request);
        return StagedMessages.of(file.output(), file.relative(), to, stub);
    }

    /** Of an empty folder in a bucket stands an object whose key ends with a slash. */
    private static StoreUri place(OutputFile file) {
        var to = file.to();
        return file.kind() == OutputFile.Kind.FOLDER && !to.scheme().isPosix() && !to.isFolder()
                ? new StoreUri(to.scheme(), to.authority(), to.path() + "/")
                : to;
    }

    /**
     * Sends the bytes of a prepared file.
     *
     * @throws ChangingException the file changed during each of several copies: something still writes it
     */
    public StagedOutput stage(OutputFile file, StagedOutput prepared)
            throws StoreException, BufferIoException, ChangingException, InterruptedException {
        var bare = StagedMessages.stub(prepared);
        var stub = new Stub(
                bare.kind(), bare.finalKey(), bare.root(), bare.handle(), file.size(), file.meta(), bare.readBack());
        var store = stores.at(file.to());
        for (int copy = 1; ; copy++) {
            StagedFile staged = transfers.stage(store, stub, file.path());
            if (file.kind() != OutputFile.Kind.FILE
                    || OutputScan.seen(file.path()).equals(file.seen())) {
                return StagedMessages.of(file.output(), file.relative(), place(file), staged);
            }
            if (copy == MOST_COPIES || OutputScan.seen(file.path()).size() != file.size()) {
                throw new ChangingException(file.relative());
            }
        }
    }

    private String token(OutputFile file, long item, int generation, int attempt) {
        try {
            var text = owner + "/" + item + "/" + generation + "/" + attempt + "/" + file.output() + "/" + file.to();
            var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_16BE));
            return jobToken + "-" + HexFormat.of().formatHex(hash, 0, 9);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** A file of $(OUT) does not come to rest. */
    public static final class ChangingException extends Exception {
        private static final long serialVersionUID = 1L;

        public ChangingException(String relative) {
            super(relative);
        }
    }
}
