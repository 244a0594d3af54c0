package io.forebay.sidecar.commit;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedMessages;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import io.forebay.sidecar.transfer.Transfers;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries out a commit intent: makes each staged file visible at its final name, then the names durable. May be repeated, by
 * anyone, any number of times (DESIGN 4, Commit). Thread-safe.
 */
public final class Publisher {
    /** With one request: enough that its cost does not count, few enough that several requests share the work. */
    private static final int FILES_TOGETHER = 64;

    private final Stores stores;
    private final Transfers transfers;

    public Publisher(Stores stores, Transfers transfers) {
        this.stores = stores;
        this.transfers = transfers;
    }

    /**
     * @param path where a file lies in the buffer: the bytes of an INLINE output are sent now; null: it is lost
     * @return outputs that are lost for good: neither staged any more nor published
     * @throws StoreException the first failure, after all others were tried
     */
    public List<StagedOutput> publish(List<StagedOutput> granted, Function<StagedOutput, @Nullable String> path)
            throws StoreException, InterruptedException {
        var lost = new ArrayList<StagedOutput>();
        if (granted.size() == 1) {
            if (publishOne(granted.getFirst(), path) == PublishOutcome.LOST) {
                lost.add(granted.getFirst());
            }
        } else {
            publishAll(granted, path, lost);
        }
        syncFolders(granted);
        return lost;
    }

    private void publishAll(
            List<StagedOutput> granted, Function<StagedOutput, @Nullable String> path, List<StagedOutput> lost)
            throws StoreException, InterruptedException {
        StoreException first = null;
        try (var tasks = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("publish-", 0).factory())) {
            try {
                var single = new ArrayList<StagedOutput>();
                publishTogether(granted, tasks, lost, single);
                var outcomes = new ArrayList<Future<PublishOutcome>>(single.size());
                for (var output : single) {
                    outcomes.add(tasks.submit(() -> publishOne(output, path)));
                }
                for (int i = 0; i < single.size(); i++) {
                    try {
                        if (outcomes.get(i).get() == PublishOutcome.LOST) {
                            lost.add(single.get(i));
                        }
                    } catch (ExecutionException e) {
                        first = firstOf(first, e);
                    }
                }
            } catch (InterruptedException e) {
                tasks.shutdownNow();
                throw e;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private record Batch(List<StagedOutput> outputs, Future<List<PublishOutcome>> outcomes) {}

    /**
     * Temporary files only change their names, many with one request. What is not of this kind, or is read back, or failed with others, is left to be
     * published by itself, which changes nothing for what was published before.
     *
     * @param single gets what is left
     */
    private void publishTogether(
            List<StagedOutput> granted, ExecutorService tasks, List<StagedOutput> lost, List<StagedOutput> single)
            throws StoreException, InterruptedException {
        var byStore = new LinkedHashMap<Store, List<StagedOutput>>();
        for (var output : granted) {
            if (output.kind().equals(StagedFile.Kind.TEMP.name()) && !output.readBack()) {
                byStore.computeIfAbsent(stores.at(StoreUri.parse(output.finalUri())), s -> new ArrayList<>())
                        .add(output);
            } else {
                single.add(output);
            }
        }
        var batches = new ArrayList<Batch>();
        byStore.forEach((store, outputs) -> {
            for (int from = 0; from < outputs.size(); from += FILES_TOGETHER) {
                var some = outputs.subList(from, Math.min(outputs.size(), from + FILES_TOGETHER));
                var files = some.stream().map(StagedMessages::file).toList();
                batches.add(new Batch(some, tasks.submit(() -> transfers.publishAll(store, files))));
            }
        });
        for (var batch : batches) {
            try {
                var outcomes = batch.outcomes.get();
                for (int i = 0; i < outcomes.size(); i++) {
                    if (outcomes.get(i) == PublishOutcome.LOST) {
                        lost.add(batch.outputs.get(i));
                    }
                }
            } catch (ExecutionException e) {
                single.addAll(batch.outputs);
            }
        }
    }

    private static StoreException firstOf(@Nullable StoreException first, ExecutionException e) {
        if (first != null) {
            first.addSuppressed(e.getCause());
            return first;
        }
        return e.getCause() instanceof StoreException s
                ? s
                : new StoreException(StoreException.Kind.PERMANENT, String.valueOf(e.getCause()), e.getCause());
    }

    private PublishOutcome publishOne(StagedOutput output, Function<StagedOutput, @Nullable String> path)
            throws StoreException, InterruptedException {
        var store = stores.at(StoreUri.parse(output.finalUri()));
        var file = StagedMessages.file(output);
        try {
            return transfers.publish(store, file, path.apply(output));
        } catch (BufferIoException e) {
            throw new StoreException(
                    StoreException.Kind.PERMANENT, "its bytes cannot be read from the buffer: " + e.getMessage(), e);
        }
    }

    private void syncFolders(List<StagedOutput> granted) throws StoreException, InterruptedException {
        var byStore = new LinkedHashMap<Store, List<String>>();
        for (var output : granted) {
            var uri = StoreUri.parse(output.finalUri());
            byStore.computeIfAbsent(stores.at(uri), s -> new ArrayList<>()).add(uri.path());
        }
        for (var e : byStore.entrySet()) {
            transfers.retrying("sync folders", () -> {
                e.getKey().syncFolders(e.getValue());
                return true;
            });
        }
    }

    /** Removes what an attempt left staged. Failures are returned, not thrown: a leftover is untidy, never wrong. */
    public List<String> discard(List<StagedOutput> staged) throws InterruptedException {
        var problems = new ArrayList<String>();
        for (var output : staged) {
            try {
                var store = stores.at(StoreUri.parse(output.finalUri()));
                transfers.retrying("discard staged " + output.finalUri(), () -> {
                    store.discard(StagedMessages.stub(output));
                    return true;
                });
            } catch (StoreException e) {
                problems.add(output.finalUri() + ": " + e.getMessage());
            }
        }
        return problems;
    }
}
