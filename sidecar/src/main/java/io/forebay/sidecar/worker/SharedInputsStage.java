package io.forebay.sidecar.worker;

import io.forebay.api.job.Job;
import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.buffer.Buffer;
import io.forebay.sidecar.buffer.Buffer.NeverFitsException;
import io.forebay.sidecar.buffer.Buffer.NoRoomException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Inputs that no item owns: staged once per worker, read by all (Z5). Items wait here until they are whole. Thread-safe. */
final class SharedInputsStage {
    private final Job job;
    private final Buffer buffer;
    private final FetchStage fetch;
    private final CompletableFuture<Map<String, String>> paths = new CompletableFuture<>();

    SharedInputsStage(Job job, Buffer buffer, FetchStage fetch) {
        this.job = job;
        this.buffer = buffer;
        this.fetch = fetch;
    }

    /** Fetches them on the calling thread; failures are told to whoever asks for the paths. */
    void stage(List<ItemInput> inputs) throws InterruptedException {
        try {
            var byName = new LinkedHashMap<String, List<ItemInput>>();
            for (var input : inputs) {
                byName.computeIfAbsent(input.input(), n -> new java.util.ArrayList<>())
                        .add(input);
            }
            var result = new LinkedHashMap<String, String>();
            for (var e : byName.entrySet()) {
                long bytes = e.getValue().stream()
                        .mapToLong(i -> Buffer.footprint(Math.max(0, i.size())))
                        .sum();
                var space = buffer.admitShared(e.getKey(), bytes);
                if (!space.inputsKept()) {
                    fetch.fetch(e.getValue(), space.in(), -1);
                    space.inputsComplete();
                }
                var folder = space.in() + "/" + e.getKey();
                var first = e.getValue().getFirst();
                result.put(e.getKey(), isSource(first) ? FetchStage.path(first, space.in()) : folder);
            }
            paths.complete(Map.copyOf(result));
        } catch (NoRoomException e) {
            paths.completeExceptionally(new AttemptFailed(Failures.noRoom("shared input: " + e.getMessage())));
        } catch (NeverFitsException e) {
            paths.completeExceptionally(new AttemptFailed(Failures.neverFits("shared input: " + e.getMessage())));
        } catch (AttemptFailed e) {
            paths.completeExceptionally(e);
        } catch (InterruptedException | RuntimeException e) {
            paths.completeExceptionally(e);
            throw e;
        }
    }

    /** Whether the source is this file itself, rather than a folder that holds it, alone perhaps. */
    private boolean isSource(ItemInput file) {
        return file.uri().equals(job.input(file.input()).source().toString());
    }

    /** Path of each shared input by name; waits. @throws AttemptFailed they cannot be had, so no item can run */
    Map<String, String> paths() throws AttemptFailed, InterruptedException {
        try {
            return paths.get();
        } catch (ExecutionException e) {
            throw new AttemptFailed(
                    e.getCause() instanceof AttemptFailed f ? Failures.shared(f.failure()) : Failures.own(e));
        }
    }
}
