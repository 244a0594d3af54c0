package io.forebay.sidecar.coordinator;

import io.forebay.api.job.Job;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.Holding;
import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.Register;
import io.forebay.message.Messages.Renew;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.link.CoordinatorLink;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.records.History;
import io.forebay.sidecar.records.LogEntry;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.records.StoreRetry;
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

/**
 * Workers that fail, give back, die, fall silent and repeat themselves, under coordinators that are killed; against a model that
 * knows who may believe to hold what. One step happens at a time, chosen by a seeded random number.
 *
 * <p>Where {@link Simulation} stops coordinators within their operations, this one sends them whatever a worker may send, twice
 * or late.
 */
final class MessageStorm {
    private static final int ITEMS = 5;
    private static final int WORKERS = 3;
    private static final int RETRIES = 1;
    /** A message that is on its way for longer was given up by its connection (HttpCoordinatorLink). */
    private static final Duration LATEST = Duration.ofSeconds(5);

    private final Random random;
    private final RecordsMemoryStore bucket = new RecordsMemoryStore();
    private final CoordinatorRig rig;
    private final Job job;
    private final List<Life> lives = new ArrayList<>();
    private final List<Repeat> sent = new ArrayList<>();
    private final List<String> story = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private final Set<Long> done = new HashSet<>();
    private final Set<Long> failed = new HashSet<>();
    private GatedStore gate = new GatedStore();
    private Coordinator coordinator;
    private boolean calm;
    private int recalls;

    MessageStorm(long seed, Path scratch) throws Exception {
        random = new Random(seed);
        rig = new CoordinatorRig(bucket, scratch);
        rig.inputs(ITEMS);
        var maker = new JobMaker();
        maker.retryItem = RETRIES;
        // The end of a job by its workers' deaths is not what this is about.
        maker.retryWorker = 1000;
        job = maker.job();
        for (int i = 0; i < WORKERS; i++) {
            lives.add(new Life(rig.worker("w" + i)));
        }
        open();
    }

    List<String> complaints() {
        return complaints;
    }

    String story() {
        return String.join("\n", story);
    }

    /** Items that were given back because another worker waited. */
    int recalls() {
        return recalls;
    }

    int ended() {
        return done.size() + failed.size();
    }

    /** One process of a worker. */
    private static final class Life {
        private final FakeWorker worker;
        private final Map<Long, Work> work = new HashMap<>();
        /** Until then the coordinator gives nothing of its to others. */
        private long leaseUntil = Long.MIN_VALUE;

        Life(FakeWorker worker) {
            this.worker = worker;
        }
    }

    private enum Phase {
        LEASED,
        ANNOUNCED,
        STAGED,
        GRANTED,
        PUBLISHED,
        TELLING
    }

    private static final class Work {
        private final ItemLease lease;
        private final Set<String> published = new HashSet<>();
        private Phase phase = Phase.LEASED;
        private boolean stagedLate;
        private List<StagedOutput> onClose = List.of();
        private List<StagedOutput> outputs = List.of();
        /** What it reports, once that is decided. */
        private ItemEnded end;

        Work(ItemLease lease) {
            this.lease = lease;
        }
    }

    private interface Call {
        void to(CoordinatorLink link) throws LinkException, InterruptedException;
    }

    /** A message that may arrive again. */
    private record Repeat(String what, FakeWorker from, long at, Call call) {}

    void run(int steps) throws Exception {
        for (int i = 0; i < steps; i++) {
            step();
        }
        checkRecords();
    }

    private void step() throws Exception {
        int dice = random.nextInt(100);
        if (dice < 70) {
            act(lives.get(random.nextInt(WORKERS)));
        } else if (dice < 78) {
            repeat();
        } else if (dice < 84) {
            tick();
        } else if (dice < 92) {
            pass();
        } else if (dice < 95) {
            die(random.nextInt(WORKERS));
        } else if (dice < 97) {
            int operations = random.nextInt(8);
            say("the coordinator will be killed after " + operations);
            gate.killAfter(operations);
        } else {
            open();
        }
    }

    private void pass() {
        int range = random.nextInt(10);
        rig.pass(Duration.ofSeconds(range == 0 ? 1000 : range < 4 ? 40 : random.nextInt(8)));
        say("it is " + rig.nanos / 1_000_000_000L);
    }

    // ---- the coordinator

    private void open() throws Exception {
        gate.kill();
        if (coordinator != null) {
            coordinator.close();
        }
        gate = new GatedStore();
        try {
            coordinator = Coordinator.open(
                    job,
                    CoordinatorRig.storesOf(gate.over(bucket)),
                    rig.options(RunMode.CONTINUE, true, rig.elsewhere()));
            coordinator.start();
        } catch (CoordinatorException e) {
            complaints.add("the coordinator does not start: " + e.getMessage());
        }
        say("coordinator " + coordinator.generation());
    }

    private void tick() throws Exception {
        try {
            coordinator.tick();
            say("tick");
        } catch (GatedStore.Killed e) {
            say("killed in tick");
        }
    }

    /** @return whether there was an answer */
    private boolean send(String what, Call call) throws Exception {
        try {
            call.to(coordinator);
            say(what);
            return true;
        } catch (GatedStore.Killed | LinkException e) {
            say(what + ": no answer");
            return false;
        }
    }

    private boolean sendNoted(String what, Life life, Call call) throws Exception {
        sent.add(new Repeat(what, life.worker, rig.nanos, call));
        return send(what, call);
    }

    /** Something that was sent a moment ago arrives once more, unless the process that sent it has been replaced. */
    private void repeat() throws Exception {
        sent.removeIf(r -> rig.nanos - r.at > LATEST.toNanos());
        if (!sent.isEmpty()) {
            var one = sent.get(random.nextInt(sent.size()));
            if (lives.stream().anyMatch(l -> l.worker == one.from)) {
                send("again: " + one.what, one.call);
            }
        }
    }

    // ---- workers

    private void die(int number) {
        var life = lives.get(number);
        if (random.nextBoolean()) {
            say(life.worker.name + " dies");
            // Staged after its lease was over, perhaps after the coordinator had cleaned up, and killed before it was
            // told: of
            // this nobody knows, and it is not complained of.
            life.work.values().stream()
                    .filter(w -> w.stagedLate && w.phase.ordinal() < Phase.GRANTED.ordinal())
                    .forEach(w -> w.outputs.forEach(o -> bucket.unstage(o.handle())));
            lives.set(number, new Life(life.worker.restartedEmpty()));
        } else {
            say(life.worker.name + " is started anew with its buffer");
            var next = new Life(life.worker.restartedEmpty());
            next.worker.holds.putAll(life.worker.holds);
            next.work.putAll(life.work);
            lives.set(number, next);
        }
    }

    private void act(Life life) throws Exception {
        if (gate.isKilled()) {
            return;
        }
        var works = new ArrayList<>(life.work.values());
        int choice = random.nextInt(20);
        if (life.worker.generation < coordinator.generation() || choice == 0) {
            register(life);
        } else if (choice < 4) {
            renew(life, ++life.worker.renewals, Map.copyOf(life.worker.holds));
        } else if (choice < 7 || works.isEmpty()) {
            lease(life);
        } else {
            var work = works.get(random.nextInt(works.size()));
            if (!calm && choice < 10) {
                fail(life, work);
            } else if (!calm && choice == 10 && work.phase == Phase.LEASED) {
                release(life, work);
            } else {
                go(life, work);
            }
        }
    }

    private void heard(Life life) {
        life.leaseUntil = rig.nanos + CoordinatorRig.LEASE.toNanos();
        for (var work : List.copyOf(life.work.values())) {
            if (!life.worker.holds.containsKey(work.lease.item())) {
                drop(life, work);
            }
        }
    }

    /** What it may not publish it removes, as far as it may not. */
    private void drop(Life life, Work work) {
        life.work.remove(work.lease.item());
        life.worker.forget(work.lease.item());
        if (work.phase.ordinal() < Phase.GRANTED.ordinal()) {
            work.outputs.forEach(o -> bucket.unstage(o.handle()));
        }
    }

    private void register(Life life) throws Exception {
        var worker = life.worker;
        var holding = worker.holds.values().stream()
                .map(l -> new Holding(l.item(), l.itemId(), l.generation(), l.attempt(), "READY"))
                .toList();
        var message = new Register(worker.name, worker.instance, "node", 1, holding);
        var held = Map.copyOf(worker.holds);
        sendNoted(worker.name + " registers with " + held.keySet(), life, link -> {
            var answer = link.register(message);
            worker.generation = Math.max(worker.generation, answer.generation());
            answer.drop().stream()
                    .filter(item -> held.get(item) == worker.holds.get(item))
                    .forEach(worker::forget);
            heard(life);
        });
    }

    /** @param named what it held when it wrote the message */
    private void renew(Life life, long number, Map<Long, ItemLease> named) throws Exception {
        var states = new HashMap<Long, String>();
        named.keySet().forEach(item -> states.put(item, begun(life, item) ? "RUNNING" : "FETCHING"));
        var message = new Renew(
                life.worker.name,
                life.worker.instance,
                life.worker.generation,
                number,
                states,
                CoordinatorRig.NO_COUNTERS);
        var recalled = new ArrayList<Long>();
        sendNoted(life.worker.name + " renews " + states, life, link -> {
            var answer = link.renew(message);
            if (answer.generation() == life.worker.generation) {
                answer.cancel().stream()
                        .filter(item -> named.get(item) == life.worker.holds.get(item))
                        .forEach(life.worker::forget);
                heard(life);
                recalled.addAll(answer.recall());
            }
        });
        for (var item : recalled) {
            var work = life.work.get(item);
            // Some have begun meanwhile.
            if (work != null && work.lease == named.get(item) && work.phase == Phase.LEASED && random.nextInt(4) > 0) {
                recalls++;
                release(life, work);
            }
        }
    }

    private boolean begun(Life life, long item) {
        var work = life.work.get(item);
        return random.nextInt(4) == 0 || work != null && work.phase != Phase.LEASED;
    }

    private void lease(Life life) throws Exception {
        // Another of its threads renews at the same time: that message knows nothing of what is leased now.
        var before = Map.copyOf(life.worker.holds);
        long number = ++life.worker.renewals;
        var leased = new ArrayList<ItemLease>();
        boolean answered = send(
                life.worker.name + " leases", link -> leased.addAll(life.worker.lease(link, 1 + random.nextInt(3))));
        if (!answered) {
            return;
        }
        if (rig.nanos < life.leaseUntil) {
            // One that was silent for too long gets nothing, and has to renew or register first.
            heard(life);
        }
        leased.forEach(l -> leased(life, l));
        if (random.nextInt(4) == 0) {
            // What others ask meanwhile comes before it.
            if (random.nextBoolean()) {
                lease(lives.get(random.nextInt(WORKERS)));
            }
            renew(life, number, before);
        }
    }

    private void leased(Life life, ItemLease lease) {
        var what = lease.key() + " generation " + lease.generation() + " attempt " + lease.attempt();
        say(life.worker.name + " has " + what);
        if (done.contains(lease.item()) || failed.contains(lease.item())) {
            complaints.add(what + " was leased after it had ended");
        }
        for (var other : lives) {
            if (other != life && other.work.containsKey(lease.item()) && rig.nanos < other.leaseUntil) {
                complaints.add(
                        what + " was leased to " + life.worker.name + " while " + other.worker.name + " holds it");
            }
        }
        life.work.put(lease.item(), new Work(lease));
    }

    private void release(Life life, Work work) throws Exception {
        var item = work.lease.item();
        life.work.remove(item);
        sendNoted(
                life.worker.name + " gives back " + work.lease.key(),
                life,
                link -> life.worker.release(link, work.lease));
    }

    private void fail(Life life, Work work) throws Exception {
        if (work.phase == Phase.TELLING) {
            tell(life, work);
            return;
        }
        boolean granted = work.phase == Phase.GRANTED || work.phase == Phase.PUBLISHED;
        var failure = switch (random.nextInt(5)) {
            case 0 -> new Failure("StepLost", "the runner died", 1, true, false, false, false);
            case 1 -> new Failure("BufferFull", "no space", 74, false, false, false, true);
            case 2 ->
                granted
                        ? new Failure("Flush", "cannot publish", 74, true, false, false, false)
                        : new Failure("MissingOutput", "nothing matches", 1, true, true, false, false);
            default ->
                granted
                        ? new Failure("Flush", "cannot publish", 75, false, false, false, false)
                        : FakeWorker.stepFailed();
        };
        end(life, work, failure);
    }

    private void end(Life life, Work work, Failure failure) throws Exception {
        var lease = work.lease;
        if (work.phase.ordinal() < Phase.GRANTED.ordinal()) {
            work.outputs.forEach(o -> bucket.unstage(o.handle()));
        }
        work.phase = Phase.TELLING;
        work.end = new ItemEnded(
                life.worker.name,
                life.worker.instance,
                lease.item(),
                lease.generation(),
                lease.attempt(),
                failure,
                List.of(FakeWorker.run(failure == null ? 0 : 1)),
                failure == null ? both(work) : List.of(),
                List.of(),
                new io.forebay.message.Messages.Timing(0, 1, 2, 3, 4, 5),
                List.of());
        tell(life, work);
    }

    private static List<StagedOutput> both(Work work) {
        var all = new ArrayList<>(work.onClose);
        all.addAll(work.outputs);
        return all;
    }

    private void tell(Life life, Work work) throws Exception {
        var item = work.lease.item();
        // A process that was started anew tells it under its own name.
        var e = work.end;
        var message = new ItemEnded(
                e.worker(),
                life.worker.instance,
                e.item(),
                e.generation(),
                e.attempt(),
                e.failure(),
                e.steps(),
                e.published(),
                e.unexported(),
                e.timing(),
                e.sums());
        var why = e.failure() == null ? "done" : e.failure().reason();
        sendNoted(
                life.worker.name + " ends " + work.lease.key() + " attempt " + e.attempt() + ": " + why, life, link -> {
                    var answer = link.ended(message);
                    say("  " + answer);
                    if (life.work.get(item) == work) {
                        life.work.remove(item);
                        life.worker.forget(item);
                        if (!answer.again() && !answer.fenced()) {
                            (e.failure() == null ? done : failed).add(item);
                        }
                    }
                });
    }

    private void go(Life life, Work work) throws Exception {
        var worker = life.worker;
        var lease = work.lease;
        switch (work.phase) {
            case LEASED -> {
                // Two of the items may want the same name.
                var second = lease.item() < 2 && random.nextInt(4) == 0 ? "both" : lease.key() + ".b";
                work.outputs = List.of(worker.output(lease, lease.key() + ".a"), worker.output(lease, second));
                ask(
                        life,
                        work,
                        "announces",
                        Phase.ANNOUNCED,
                        link -> worker.announce(link, lease, work.outputs).refusal());
            }
            case ANNOUNCED -> {
                say(worker.name + " stages " + lease.key() + " attempt " + lease.attempt());
                worker.stage(lease, work.outputs);
                work.stagedLate = rig.nanos >= life.leaseUntil;
                work.phase = Phase.STAGED;
                if (random.nextInt(4) == 0) {
                    close(life, work);
                }
            }
            case STAGED ->
                ask(
                        life,
                        work,
                        "asks to commit",
                        Phase.GRANTED,
                        link -> worker.commit(link, lease, true, work.outputs).refusal());
            case GRANTED -> {
                for (var output : work.outputs) {
                    if (work.published.add(output.relative())) {
                        say(worker.name + " publishes " + output.finalUri());
                        worker.publish(output);
                        break;
                    }
                }
                if (work.published.size() == work.outputs.size()) {
                    work.phase = Phase.PUBLISHED;
                }
            }
            case PUBLISHED -> end(life, work, null);
            case TELLING -> tell(life, work);
        }
    }

    /** The first of its outputs is decided and published by itself. */
    private void close(Life life, Work work) throws Exception {
        var first = work.outputs.getFirst();
        var lease = work.lease;
        var answers = new ArrayList<Boolean>();
        sendNoted(
                life.worker.name + " asks to publish " + first.finalUri(),
                life,
                link -> answers.add(link.commit(new io.forebay.message.Messages.CommitRequest(
                                        life.worker.name,
                                        life.worker.instance,
                                        lease.item(),
                                        lease.generation(),
                                        lease.attempt(),
                                        true,
                                        true,
                                        List.of(first)))
                                .refusal()
                        == null));
        if (!answers.isEmpty() && answers.getFirst()) {
            life.worker.publish(first);
            work.onClose = List.of(first);
            work.outputs = work.outputs.subList(1, 2);
        }
    }

    private interface Asking {
        io.forebay.message.Messages.Refusal ask(CoordinatorLink link) throws LinkException, InterruptedException;
    }

    private void ask(Life life, Work work, String what, Phase then, Asking asking) throws Exception {
        sendNoted(
                life.worker.name + " " + what + " " + work.lease.key() + " attempt " + work.lease.attempt(),
                life,
                link -> {
                    var refusal = asking.ask(link);
                    if (life.work.get(work.lease.item()) != work || work.phase.ordinal() >= then.ordinal()) {
                        return;
                    }
                    if (refusal == null) {
                        work.phase = then;
                        return;
                    }
                    say("  " + refusal.reason());
                    if (refusal.reason().equals("NAME_CONFLICT")) {
                        work.phase = Phase.TELLING;
                        work.end = new ItemEnded(
                                life.worker.name,
                                life.worker.instance,
                                work.lease.item(),
                                work.lease.generation(),
                                work.lease.attempt(),
                                new Failure("NameConflict", refusal.message(), 74, true, true, false, false),
                                List.of(),
                                List.of(),
                                List.of(),
                                new io.forebay.message.Messages.Timing(0, 1, 2, 3, 4, 5),
                                List.of());
                    } else {
                        drop(life, work);
                    }
                });
    }

    // ---- what must hold

    private List<LogEntry> records() throws Exception {
        var uri = RecordsFolder.uriOf(job.records(), job.name());
        var entries = new ArrayList<LogEntry>();
        History.of(new RecordsFolder(bucket, uri, StoreRetry.patient(Duration.ZERO)))
                .replay(type -> true, entries::add);
        return entries;
    }

    /** Each item is completed at most once, each name by one item, and no item fails more often than it may. */
    private void checkRecords() throws Exception {
        var completed = new HashMap<Long, LogEntry.Completed>();
        var names = new HashMap<String, Long>();
        var counted = new HashMap<Long, Integer>();
        for (var entry : records()) {
            switch (entry) {
                case LogEntry.Completed c -> {
                    if (completed.put(c.item(), c) != null) {
                        complaints.add(c.key() + " has two completion records");
                    }
                    for (var o : c.outputs()) {
                        var other = names.put(o.finalUri(), c.item());
                        if (other != null && other != c.item()) {
                            complaints.add(o.finalUri() + " is in the records of two items");
                        }
                    }
                }
                case LogEntry.Failed f -> {
                    if (f.failure().counted() && counted.merge(f.item(), 1, Integer::sum) > RETRIES + 1) {
                        complaints.add(f.key() + " failed more often than it may");
                    }
                    if (completed.containsKey(f.item())) {
                        complaints.add(f.key() + " failed after it was completed");
                    }
                }
                default -> {}
            }
        }
        for (var item : done) {
            if (!completed.containsKey(item)) {
                complaints.add("item " + item + " was confirmed as done without a record");
            }
        }
        completed.values().forEach(this::checkOutputs);
    }

    private void checkOutputs(LogEntry.Completed record) {
        for (var output : record.outputs()) {
            var there = bucket.text(output.finalUri().substring("s3://bucket/".length()));
            var wanted = "output of " + record.key() + " by " + record.attempt()
                    + (record.generation() == 0 ? "" : " of generation " + record.generation());
            if (!wanted.equals(there)) {
                complaints.add(output.finalUri() + " has '" + there + "' instead of '" + wanted + "'");
            }
        }
    }

    /** No more faults: everything ends. */
    void finish() throws Exception {
        say("the end begins");
        calm = true;
        open();
        sent.clear();
        for (int round = 0; round < 600 && !coordinator.progress().phase().equals("Ended"); round++) {
            for (var life : lives) {
                if (life.worker.generation < coordinator.generation()) {
                    register(life);
                }
                renew(life, ++life.worker.renewals, Map.copyOf(life.worker.holds));
                heard(life);
                for (var work : List.copyOf(life.work.values())) {
                    go(life, work);
                }
                if (life.work.size() < 2) {
                    lease(life);
                }
            }
            rig.pass(Duration.ofSeconds(2));
            coordinator.tick();
        }
        for (int i = 0; i < 10; i++) {
            coordinator.tick();
        }
        var summary = coordinator.await();
        if (summary.done() + summary.failed() != ITEMS || summary.unfinished() != 0) {
            complaints.add("not everything has ended: " + summary);
        }
        checkRecords();
        for (var handle : bucket.stagedHandles()) {
            complaints.add(handle + " is left");
        }
        coordinator.close();
    }

    private void say(String what) {
        story.add(what);
    }
}
