package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Store.InlineSource;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import org.jspecify.annotations.Nullable;

/** Publishes one sealed file; may be repeated, as {@link Store#publish} may. */
final class PublishRun {
    private final Tools tools;
    private final Store store;
    private final Lane lane;
    private final StagedFile file;
    private final @Nullable String path;
    private final String what;
    private final Gate.Claim claim = new Gate.Claim();

    PublishRun(Tools tools, Store store, Lane lane, StagedFile file, @Nullable String path) {
        this.tools = tools;
        this.store = store;
        this.lane = lane;
        this.file = file;
        this.path = path;
        this.what = "publishing " + file.stub().finalKey();
    }

    PublishOutcome run() throws StoreException, BufferIoException, InterruptedException {
        try (var tally = tools.retry().begin(what)) {
            while (true) {
                try {
                    return tally.passed(once());
                } catch (StoreException e) {
                    if (e.kind() == Kind.TRANSIENT) {
                        lane.gate().overloaded();
                    }
                    tally.failed(e);
                }
            }
        }
    }

    private PublishOutcome once() throws StoreException, BufferIoException, InterruptedException {
        var source = path;
        return file.stub().kind() == StagedFile.Kind.INLINE && source != null ? withBytes(source) : withoutBytes();
    }

    private PublishOutcome withoutBytes() throws StoreException, InterruptedException {
        var permit = lane.gate().acquire(claim, 0);
        return Request.run(tools, what, () -> store.publish(file, new InlineSource.Absent()), permit, unwanted -> {});
    }

    private PublishOutcome withBytes(String source) throws StoreException, BufferIoException, InterruptedException {
        lane.enterFile();
        try (var bytes = new SharedFile<>(() -> tools.files().open(source))) {
            return Send.<PublishOutcome>once(
                    tools,
                    lane,
                    claim,
                    bytes,
                    what,
                    file.size(),
                    tools.counters().bytesStaged::add,
                    (send, scratch) -> {
                        send.beginPart(0, file.size());
                        return store.publish(file, new InlineSource.Present(send));
                    });
        } finally {
            lane.leaveFile();
        }
    }
}
