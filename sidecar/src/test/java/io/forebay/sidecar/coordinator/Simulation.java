package io.forebay.sidecar.coordinator;

import io.forebay.api.job.Job;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.testing.CoordinatorRig;
import io.forebay.testing.CoordinatorRig.JobMaker;
import io.forebay.testing.FakeWorker;
import io.forebay.testing.GatedStore;
import io.forebay.testing.RecordsMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A job of some items with two outputs each, carried by workers under coordinators that are killed or frozen before random store
 * operations, succeeded, and thawed later. One step happens at a time, chosen by a seeded random number; a frozen call stays where
 * it is until a later step thaws it, and its answer then reaches the worker late.
 */
final class Simulation {
    private static final int ITEMS = 4;
    private static final int WORKERS = 3;

    private final Random random;
    private final RecordsMemoryStore bucket = new RecordsMemoryStore();
    private final CoordinatorRig rig;
    private final Job job;
    private final List<Office> offices = new ArrayList<>();
    private final List<Hand> hands = new ArrayList<>();
    private final List<Frozen> frozen = new ArrayList<>();
    private final List<String> story = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    /** Items whose completion some coordinator confirmed, with what was at their final names then. */
    private final Map<String, String> done = new HashMap<>();

    Simulation(long seed, Path scratch) {
        random = new Random(seed);
        rig = new CoordinatorRig(bucket, scratch);
        rig.inputs(ITEMS);
        job = new JobMaker().job();
        for (int i = 0; i < WORKERS; i++) {
            hands.add(new Hand(rig.worker("w" + i)));
        }
    }

    /** Items done before the faults ended: a measure of whether anything happened at all. */
    int doneUnderFaults() {
        return done.size();
    }

    List<String> complaints() {
        return complaints;
    }

    String story() {
        return String.join("\n", story);
    }

    /** A coordinator's process. */
    private static final class Office {
        private final GatedStore gate = new GatedStore();
        private Coordinator coordinator;
        private int number;
        private boolean stands;

        boolean answers() {
            return coordinator != null && !stands && !gate.isKilled();
        }
    }

    /** A worker's process, and how far each of its attempts is. */
    private static final class Hand {
        private FakeWorker worker;
        private final Map<Long, Work> work = new HashMap<>();
        private boolean busy;

        Hand(FakeWorker worker) {
            this.worker = worker;
        }
    }

    private static final class Work {
        private final ItemLease lease;
        private List<StagedOutput> outputs = List.of();
        private int phase;
        private final Set<String> published = new HashSet<>();

        Work(ItemLease lease) {
            this.lease = lease;
        }
    }

    private record Frozen(Office office, CompletableFuture<Runnable> later) {}

    void run(int steps) throws Exception {
        open();
        for (int i = 0; i < steps; i++) {
            step();
            check();
        }
    }

    private void step() throws Exception {
        int dice = random.nextInt(200);
        if (dice < 150) {
            act(hands.get(random.nextInt(hands.size())), anyOffice());
        } else if (dice < 165) {
            tick(anyOffice());
        } else if (dice < 175) {
            if (offices.getLast().answers()) {
                arm(offices.getLast());
            }
        } else if (dice < 179) {
            thaw();
        } else if (dice < 191) {
            var time = Duration.ofSeconds(random.nextInt(random.nextInt(4) == 0 ? 1200 : 15));
            say("time passes: " + time);
            rig.pass(time);
        } else if (dice < 193) {
            die(hands.get(random.nextInt(hands.size())));
        } else if (!offices.getLast().answers() || random.nextInt(6) == 0) {
            open();
            settle();
        }
    }

    /** Mostly workers report in time, and the wait for them passes. */
    private void settle() throws Exception {
        for (var hand : hands) {
            var office = offices.getLast();
            if (random.nextInt(4) > 0 && office.answers() && !hand.busy) {
                register(hand, office);
            }
        }
        if (random.nextInt(4) > 0) {
            rig.pass(CoordinatorRig.LEASE);
            say("the wait is over");
            for (var hand : hands) {
                var office = offices.getLast();
                if (random.nextInt(4) > 0 && office.answers() && !hand.busy) {
                    renew(hand, office);
                }
            }
        }
    }

    private void register(Hand hand, Office office) throws Exception {
        call(
                office,
                hand.worker.name + " registers",
                asking(
                        hand,
                        link -> {
                            hand.worker.register(link);
                            return () -> hand.work.keySet().retainAll(hand.worker.holds.keySet());
                        },
                        office));
    }

    private void renew(Hand hand, Office office) throws Exception {
        call(
                office,
                hand.worker.name + " renews",
                asking(
                        hand,
                        link -> {
                            hand.worker.renewObediently(link);
                            return () -> hand.work.keySet().retainAll(hand.worker.holds.keySet());
                        },
                        office));
    }

    private void tick(Office office) throws Exception {
        if (office.answers()) {
            call(office, "tick", () -> {
                office.coordinator.tick();
                return () -> {};
            });
        }
    }

    private Office anyOffice() {
        return random.nextInt(8) == 0 ? offices.get(random.nextInt(offices.size())) : offices.getLast();
    }

    private void arm(Office office) {
        int operations = random.nextInt(12);
        if (random.nextBoolean()) {
            say("office " + office.number + " will be killed after " + operations);
            office.gate.killAfter(operations);
        } else {
            say("office " + office.number + " will freeze after " + operations);
            office.gate.freezeAfter(operations, frozenSignal());
        }
    }

    private CompletableFuture<Boolean> stopped = new CompletableFuture<>();

    private Runnable frozenSignal() {
        return () -> stopped.complete(true);
    }

    private void open() throws Exception {
        var office = new Office();
        office.number = offices.size() + 1;
        offices.add(office);
        if (offices.size() > 1 && random.nextInt(3) == 0) {
            arm(office);
        }
        call(office, "open", () -> {
            try {
                var stores = CoordinatorRig.storesOf(office.gate.over(bucket));
                var coordinator = Coordinator.open(job, stores, rig.options(RunMode.CONTINUE));
                coordinator.start();
                return () -> office.coordinator = coordinator;
            } catch (CoordinatorException e) {
                // Another one was faster, or took over.
                return () -> {};
            }
        });
    }

    /** Runs the call until it ends or freezes; what it returns is done when it has ended. */
    private void call(Office office, String what, Callable<Runnable> call) throws Exception {
        stopped = new CompletableFuture<>();
        var ended = new CompletableFuture<Runnable>();
        Thread.ofVirtual().start(() -> {
            try {
                ended.complete(call.call());
            } catch (GatedStore.Killed | LinkException e) {
                ended.complete(() -> {});
            } catch (Throwable e) {
                ended.completeExceptionally(e);
            }
        });
        CompletableFuture.anyOf(ended, stopped).join();
        if (ended.isDone()) {
            say("office " + office.number + " " + what);
            finish(ended);
        } else {
            say("office " + office.number + " freezes in " + what);
            office.stands = true;
            frozen.add(new Frozen(office, ended));
        }
    }

    private void finish(CompletableFuture<Runnable> ended) throws Exception {
        try {
            ended.get().run();
        } catch (ExecutionException e) {
            complaints.add("a call failed: " + e.getCause() + " "
                    + List.of(e.getCause().getStackTrace()));
        }
    }

    private void thaw() throws Exception {
        if (frozen.isEmpty()) {
            return;
        }
        var one = frozen.remove(random.nextInt(frozen.size()));
        say("office " + one.office.number + " thaws");
        stopped = new CompletableFuture<>();
        one.office.stands = false;
        one.office.gate.thaw();
        finish(one.later);
    }

    // ---- workers

    private void die(Hand hand) {
        if (hand.busy) {
            return;
        }
        say(hand.worker.name + " dies");
        hand.worker = hand.worker.restartedEmpty();
        hand.work.clear();
    }

    private void act(Hand hand, Office office) throws Exception {
        // Workers obey the highest generation that they have seen.
        if (!office.answers() || hand.busy || office.coordinator.generation() < hand.worker.generation) {
            return;
        }
        var works = new ArrayList<>(hand.work.values());
        int choice = random.nextInt(20);
        if (hand.worker.generation < office.coordinator.generation() || choice == 0) {
            register(hand, office);
        } else if (choice < 4) {
            renew(hand, office);
        } else if (choice < 7 || works.isEmpty()) {
            call(
                    office,
                    hand.worker.name + " leases",
                    asking(
                            hand,
                            link -> {
                                var leases = hand.worker.lease(link, 1 + random.nextInt(2));
                                return () -> leases.forEach(l -> lease(hand, l));
                            },
                            office));
        } else {
            go(hand, works.get(random.nextInt(works.size())), office);
        }
    }

    private void lease(Hand hand, ItemLease lease) {
        say(hand.worker.name + " has " + lease.key() + " attempt " + lease.attempt() + " generation "
                + lease.generation());
        if (done.containsKey(lease.key())) {
            complaints.add(lease.key() + " was leased again after it was done");
        }
        hand.work.put(lease.item(), new Work(lease));
    }

    private interface Asking {
        Runnable ask(Coordinator link) throws Exception;
    }

    /** A worker waits for its answer; one that died meanwhile hears nothing. */
    private Callable<Runnable> asking(Hand hand, Asking asking, Office office) {
        var instance = hand.worker.instance;
        hand.busy = true;
        return () -> {
            try {
                var then = asking.ask(office.coordinator);
                return () -> {
                    hand.busy = false;
                    if (hand.worker.instance.equals(instance)) {
                        then.run();
                    }
                };
            } catch (GatedStore.Killed | LinkException e) {
                return () -> hand.busy = false;
            }
        };
    }

    private void go(Hand hand, Work work, Office office) throws Exception {
        var worker = hand.worker;
        var lease = work.lease;
        switch (work.phase) {
            case 0 -> {
                var key = lease.key();
                work.outputs = List.of(worker.output(lease, key + ".a"), worker.output(lease, key + ".b"));
                call(
                        office,
                        worker.name + " announces " + key,
                        asking(
                                hand,
                                link -> {
                                    var answer = worker.announce(link, lease, work.outputs);
                                    return () -> advance(hand, work, answer.refusal() == null);
                                },
                                office));
            }
            case 1 -> {
                worker.stage(lease, work.outputs);
                work.phase++;
            }
            case 2 ->
                call(
                        office,
                        worker.name + " asks to commit " + lease.key(),
                        asking(
                                hand,
                                link -> {
                                    var answer = worker.commit(link, lease, true, work.outputs);
                                    return () -> advance(hand, work, answer.refusal() == null);
                                },
                                office));
            case 3 -> {
                var output = work.outputs.get(random.nextInt(2));
                say(worker.name + " publishes " + output.finalUri());
                worker.publish(output);
                work.published.add(output.relative());
                work.phase += work.published.size() == 2 ? 1 : 0;
            }
            default ->
                call(
                        office,
                        worker.name + " reports " + lease.key(),
                        asking(
                                hand,
                                link -> {
                                    var answer = worker.done(link, lease, work.outputs);
                                    return () -> {
                                        hand.work.remove(lease.item());
                                        if (!answer.fenced() && !answer.again()) {
                                            done.put(lease.key(), finals(lease.key()));
                                        }
                                    };
                                },
                                office));
        }
    }

    private void advance(Hand hand, Work work, boolean yes) {
        if (yes) {
            work.phase++;
        } else {
            say(hand.worker.name + " is refused " + work.lease.key());
            hand.work.remove(work.lease.item());
            hand.worker.forget(work.lease.item());
        }
    }

    // ---- what must hold

    private String finals(String key) {
        return bucket.text("out/" + key + ".a") + " | " + bucket.text("out/" + key + ".b");
    }

    /** What was confirmed as done never changes. */
    private void check() {
        done.forEach((key, then) -> {
            if (!finals(key).equals(then)) {
                complaints.add(key + " was done as '" + then + "' and is '" + finals(key) + "' now");
            }
        });
    }

    /** No more faults: the job ends, whole. */
    void finish() throws Exception {
        say("the end begins");
        while (!frozen.isEmpty()) {
            thaw();
            check();
        }
        rig.pass(CoordinatorRig.LEASE.multipliedBy(2));
        var last = new Office();
        last.number = offices.size() + 1;
        offices.add(last);
        var stores = CoordinatorRig.storesOf(last.gate.over(bucket));
        last.coordinator = Coordinator.open(job, stores, rig.options(RunMode.CONTINUE));
        last.coordinator.start();
        var worker = rig.worker("last");
        worker.register(last.coordinator);
        for (int i = 0; i < 100 && last.coordinator.progress().done() < ITEMS; i++) {
            for (var lease : worker.lease(last.coordinator, 2)) {
                lease(new Hand(worker), lease);
                var outputs =
                        List.of(worker.output(lease, lease.key() + ".a"), worker.output(lease, lease.key() + ".b"));
                worker.announce(last.coordinator, lease, outputs);
                worker.stage(lease, outputs);
                if (worker.commit(last.coordinator, lease, true, outputs).refusal() == null) {
                    for (var output : outputs) {
                        worker.publish(output);
                    }
                    worker.done(last.coordinator, lease, outputs);
                }
            }
            rig.pass(Duration.ofSeconds(20));
            worker.renewObediently(last.coordinator);
            last.coordinator.tick();
            check();
        }
        var summary = last.coordinator.await();
        if (summary.done() != ITEMS || summary.code() != ExitCode.DURABLE) {
            complaints.add("it ended with " + summary);
        }
        for (int i = 0; i < ITEMS; i++) {
            var key = "%03d.nii".formatted(i);
            var a = bucket.text("out/" + key + ".a");
            if (a == null || !a.equals(bucket.text("out/" + key + ".b"))) {
                complaints.add(key + " ended as " + finals(key));
            }
        }
        for (var office : offices) {
            if (office.coordinator != null) {
                office.coordinator.close();
            }
        }
    }

    private void say(String what) {
        story.add(what);
    }
}
