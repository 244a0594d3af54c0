package io.forebay.testing;

import io.forebay.message.Messages.Answer;
import io.forebay.message.Messages.AttemptId;
import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.Ended;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.Holding;
import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.LeaseRequest;
import io.forebay.message.Messages.Leases;
import io.forebay.message.Messages.Leave;
import io.forebay.message.Messages.Register;
import io.forebay.message.Messages.Registered;
import io.forebay.message.Messages.Release;
import io.forebay.message.Messages.Renew;
import io.forebay.message.Messages.Renewed;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Staging;
import io.forebay.message.Messages.StepRun;
import io.forebay.message.Messages.Timing;
import io.forebay.message.Messages.Unexported;
import io.forebay.message.Messages.WorkerCounters;
import io.forebay.sidecar.link.CoordinatorLink;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A worker made of plain calls: what a real one says to the coordinator and does at the stores, in steps. */
public final class FakeWorker {
    private final CoordinatorRig rig;
    public final String name;
    public String instance = UUID.randomUUID().toString();
    public int generation;
    /** What it says of the inputs of every attempt. */
    public List<String> sums = List.of();

    /** Commands that it runs at once. */
    public int slots = 2;
    /** How long its attempts took. */
    public Timing timing = new Timing(0, 1, 2, 3, 4, 5);

    /** What it says of its traffic and its buffer. */
    public WorkerCounters counters = CoordinatorRig.NO_COUNTERS;

    /** Number of the last renewal. */
    public long renewals;

    public final Map<Long, ItemLease> holds = new HashMap<>();
    private final Map<Long, String> states = new HashMap<>();

    FakeWorker(CoordinatorRig rig, String name) {
        this.rig = rig;
        this.name = name;
    }

    public Registered register(CoordinatorLink link) throws LinkException, InterruptedException {
        var holding = holds.values().stream()
                .map(l -> new Holding(
                        l.item(), l.itemId(), l.generation(), l.attempt(), states.getOrDefault(l.item(), "LEASED")))
                .toList();
        var answer = link.register(new Register(name, instance, "node", slots, holding));
        generation = answer.generation();
        answer.drop().forEach(this::forget);
        return answer;
    }

    public List<ItemLease> lease(CoordinatorLink link, int max) throws LinkException, InterruptedException {
        return leases(link, max).items();
    }

    public Leases leases(CoordinatorLink link, int max) throws LinkException, InterruptedException {
        var leases = link.lease(new LeaseRequest(name, instance, generation, max, 1L << 30));
        leases.items().forEach(l -> holds.put(l.item(), l));
        return leases;
    }

    public void state(ItemLease lease, String state) {
        states.put(lease.item(), state);
    }

    public Renewed renew(CoordinatorLink link) throws LinkException, InterruptedException {
        var all = new HashMap<Long, String>();
        holds.keySet().forEach(item -> all.put(item, states.getOrDefault(item, "LEASED")));
        var answer = link.renew(new Renew(name, instance, generation, ++renewals, all, counters));
        if (answer.generation() > generation) {
            register(link);
        }
        answer.cancel().forEach(this::forget);
        return answer;
    }

    /** As {@link #renew}, with what was recalled given back if it has not begun. */
    public Renewed renewObediently(CoordinatorLink link) throws LinkException, InterruptedException {
        var answer = renew(link);
        for (var item : answer.recall()) {
            if (holds.containsKey(item) && !states.getOrDefault(item, "LEASED").equals("RUNNING")) {
                release(link, holds.get(item));
            }
        }
        return answer;
    }

    /** A renewal that was written before anything it holds had arrived. */
    public Renewed renewAsIfEmpty(CoordinatorLink link) throws LinkException, InterruptedException {
        return link.renew(new Renew(name, instance, generation, ++renewals, Map.of(), counters));
    }

    public void leave(CoordinatorLink link) throws LinkException, InterruptedException {
        link.leave(new Leave(name, instance, counters));
    }

    public void release(CoordinatorLink link, ItemLease lease) throws LinkException, InterruptedException {
        release(link, lease, null);
    }

    /** Its buffer has no room for it. */
    public void hasNoRoom(CoordinatorLink link, ItemLease lease) throws LinkException, InterruptedException {
        release(link, lease, "10 MiB are needed");
    }

    private void release(CoordinatorLink link, ItemLease lease, @Nullable String noRoom)
            throws LinkException, InterruptedException {
        forget(lease.item());
        var id = new AttemptId(lease.item(), lease.generation(), lease.attempt());
        link.release(new Release(name, instance, List.of(id), noRoom));
    }

    /** The next life of this worker in the same place, its buffer gone. */
    public FakeWorker restartedEmpty() {
        return new FakeWorker(rig, name);
    }

    public void forget(long item) {
        holds.remove(item);
        states.remove(item);
    }

    // ---- an attempt, in steps

    public static String content(ItemLease lease) {
        return "output of " + lease.key() + " by " + lease.attempt()
                + (lease.generation() == 0 ? "" : " of generation " + lease.generation());
    }

    /** One output of an attempt, sealed. @param name file name below out/ */
    public StagedOutput output(ItemLease lease, String name) {
        return output(
                lease,
                name,
                "TEMP",
                ".fb-%s-%d-%d-%d-%s".formatted(this.name, lease.item(), lease.generation(), lease.attempt(), name));
    }

    public StagedOutput output(ItemLease lease, String name, String kind, String handle) {
        var bytes = content(lease).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        var crc = new CRC32C();
        crc.update(bytes);
        return new StagedOutput(
                "result",
                name,
                "s3://bucket/out/" + name,
                "out/",
                kind,
                handle,
                List.of(),
                bytes.length,
                "%08x".formatted(crc.getValue()),
                0644,
                0,
                null,
                false);
    }

    public Answer announce(CoordinatorLink link, ItemLease lease, List<StagedOutput> outputs)
            throws LinkException, InterruptedException {
        return link.staging(new Staging(name, instance, lease.item(), lease.generation(), lease.attempt(), outputs));
    }

    public void stage(ItemLease lease, List<StagedOutput> outputs) {
        outputs.stream().filter(o -> !o.handle().isEmpty()).forEach(o -> rig.bucket.stage(o.handle(), content(lease)));
    }

    public Answer commit(CoordinatorLink link, ItemLease lease, boolean success, List<StagedOutput> outputs)
            throws LinkException, InterruptedException {
        return link.commit(new CommitRequest(
                name, instance, lease.item(), lease.generation(), lease.attempt(), success, false, outputs));
    }

    public void publish(StagedOutput o) throws StoreException, InterruptedException {
        var key = o.finalUri().substring("s3://bucket/".length());
        var stub = new StagedFile.Stub(
                StagedFile.Kind.valueOf(o.kind()), key, key, o.handle(), o.size(), FileMeta.UNKNOWN, false);
        rig.bucket.publish(
                new StagedFile(stub, List.of(), o.size(), Long.parseLong(o.crc32c(), 16)),
                new Store.InlineSource.Absent());
    }

    public Ended done(CoordinatorLink link, ItemLease lease, List<StagedOutput> outputs)
            throws LinkException, InterruptedException {
        forget(lease.item());
        return link.ended(new ItemEnded(
                name,
                instance,
                lease.item(),
                lease.generation(),
                lease.attempt(),
                null,
                List.of(run(0)),
                outputs,
                List.of(),
                timing,
                sums));
    }

    public Ended failed(CoordinatorLink link, ItemLease lease, Failure failure, List<Unexported> unexported)
            throws LinkException, InterruptedException {
        forget(lease.item());
        return link.ended(new ItemEnded(
                name,
                instance,
                lease.item(),
                lease.generation(),
                lease.attempt(),
                failure,
                List.of(run(1)),
                List.of(),
                unexported,
                timing,
                sums));
    }

    public static StepRun run(int exit) {
        return new StepRun("increment", List.of("increment"), exit, 0, 5, 3, 1, 1000, "log\n");
    }

    public static Failure stepFailed() {
        return new Failure("StepFailed", "step increment ended with 1", 1, true, false, false, false);
    }

    /** All of it, well. */
    public void carry(CoordinatorLink link, ItemLease lease)
            throws LinkException, InterruptedException, StoreException {
        var outputs = List.of(output(lease, lease.key()));
        announce(link, lease, outputs);
        stage(lease, outputs);
        var answer = commit(link, lease, true, outputs);
        if (answer.refusal() != null) {
            forget(lease.item());
            return;
        }
        for (var output : outputs) {
            publish(output);
        }
        done(link, lease, outputs);
    }

    /** Leases and carries until there is nothing left. */
    public int carryAll(CoordinatorLink link) throws LinkException, InterruptedException, StoreException {
        int carried = 0;
        while (true) {
            var leases = leases(link, 10);
            for (var lease : leases.items()) {
                carry(link, lease);
                carried++;
            }
            if (leases.items().isEmpty()) {
                return carried;
            }
        }
    }
}
