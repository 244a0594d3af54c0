package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.Timing;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.testing.CoordinatorRig;
import io.forebay.testing.CoordinatorRig.JobMaker;
import io.forebay.testing.FakeWorker;
import io.forebay.testing.RecordsMemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Workers that come one after the other to a job of few items, in simulated time: each leases ahead, brings items in, runs them in its
 * slots, renews, and gives back what is recalled and has not begun. As real ones do, each asks again at once when it has given something
 * back.
 */
final class LateWorkers {
    private static final Duration TICK = Duration.ofMillis(500);
    /** A renewal is due six times in a lease. */
    private static final int RENEWAL = 10;

    private static final int AHEAD = 32;
    /** Ticks. To tell the one who has it, to have it back, to ask again; and what its wait must be worth. */
    private static final int PATIENCE = 4 * RENEWAL;

    private final Random random;
    private final CoordinatorRig rig;
    private final int items;
    private final int typicalRun;
    private final int typicalFetch;
    private final List<Place> places = new ArrayList<>();
    private final Map<Long, Place> holders = new HashMap<>();
    private final Map<Long, Integer> leases = new HashMap<>();
    private final List<String> complaints = new ArrayList<>();
    private final List<String> story = new ArrayList<>();
    private int now;

    LateWorkers(long seed, Path scratch) {
        random = new Random(seed);
        rig = new CoordinatorRig(new RecordsMemoryStore(), scratch);
        items = 1 + random.nextInt(40);
        typicalRun = 1 + random.nextInt(120);
        typicalFetch = 1 + random.nextInt(10);
        rig.inputs(items);
        int workers = 2 + random.nextInt(3);
        for (int i = 0; i < workers; i++) {
            places.add(new Place(rig.worker("w" + i), i == 0 ? 0 : random.nextInt(100)));
        }
    }

    private enum Phase {
        FETCHING,
        READY,
        RUNNING
    }

    private static final class Work {
        private final ItemLease lease;
        private Phase phase = Phase.FETCHING;
        private int left;
        private final int run;
        private final int fetch;

        Work(ItemLease lease, int fetch, int run) {
            this.lease = lease;
            this.fetch = fetch;
            this.run = run;
            this.left = fetch;
        }
    }

    private static final class Place {
        private final FakeWorker worker;
        private final int comesAt;
        private final List<Work> works = new ArrayList<>();
        private boolean left;
        private int idleSince = -1;

        Place(FakeWorker worker, int comesAt) {
            this.worker = worker;
            this.comesAt = comesAt;
        }

        long in(Phase phase) {
            return works.stream().filter(w -> w.phase == phase).count();
        }

        /** More than its slots could begin now. */
        boolean spares() {
            return works.size() > worker.slots;
        }
    }

    List<String> complaints() {
        return complaints;
    }

    String story() {
        return String.join("\n", story);
    }

    /** Items that were begun by one worker after another had had them. */
    int moved() {
        return leases.values().stream().mapToInt(n -> n - 1).sum();
    }

    void run() throws Exception {
        say(items + " items, " + typicalRun + " ticks each, " + typicalFetch + " to fetch");
        try (var coordinator = rig.start(new JobMaker().job(), RunMode.RUN)) {
            int most = 2 * items * (typicalRun + typicalFetch) * 2 + 1000;
            while (!coordinator.progress().phase().equals("Ended") && now < most) {
                for (var place : places) {
                    if (now >= place.comesAt && !place.left) {
                        live(place, coordinator);
                    }
                }
                judge();
                rig.pass(TICK);
                coordinator.tick();
                now++;
            }
            var summary = coordinator.await();
            if (summary.done() != items) {
                complaints.add("not everything is done: " + summary);
            }
        }
        leases.forEach((item, n) -> {
            if (n > 6) {
                complaints.add("item " + item + " went to and fro: it was leased " + n + " times");
            }
        });
        if (moved() > 2 * items) {
            complaints.add(moved() + " moves of " + items + " items");
        }
    }

    private void live(Place place, Coordinator coordinator) throws Exception {
        if (now == place.comesAt) {
            place.worker.slots = 1 + random.nextInt(4);
            say(place.worker.name + " comes with " + place.worker.slots + " slots");
            place.worker.register(coordinator);
        }
        compute(place, coordinator);
        if ((now - place.comesAt) % RENEWAL == 0) {
            renew(place, coordinator);
        }
        lease(place, coordinator);
    }

    private void compute(Place place, Coordinator coordinator) throws Exception {
        for (var work : List.copyOf(place.works)) {
            work.left--;
            switch (work.phase) {
                case FETCHING -> {
                    if (work.left <= 0) {
                        work.phase = Phase.READY;
                    }
                }
                case READY -> {}
                case RUNNING -> {
                    if (work.left <= 0) {
                        place.worker.timing = new Timing(0, millis(work.fetch), 0, millis(work.run), 0, 0);
                        place.worker.carry(coordinator, work.lease);
                        place.works.remove(work);
                        holders.remove(work.lease.item());
                    }
                }
            }
        }
        for (var work : place.works) {
            if (work.phase == Phase.READY && place.in(Phase.RUNNING) < place.worker.slots) {
                work.phase = Phase.RUNNING;
                work.left = work.run;
            }
        }
    }

    private static long millis(int ticks) {
        return TICK.multipliedBy(ticks).toMillis();
    }

    private void renew(Place place, Coordinator coordinator) throws Exception {
        place.works.forEach(w -> place.worker.state(w.lease, w.phase.name()));
        var recalled = place.worker.renew(coordinator).recall();
        for (var work : List.copyOf(place.works)) {
            if (recalled.contains(work.lease.item()) && work.phase != Phase.RUNNING) {
                say(place.worker.name + " gives back " + work.lease.item());
                place.works.remove(work);
                holders.remove(work.lease.item());
                place.worker.release(coordinator, work.lease);
                lease(place, coordinator);
            }
        }
    }

    private void lease(Place place, Coordinator coordinator) throws Exception {
        int room = AHEAD + 2 * place.worker.slots - (int) (place.in(Phase.FETCHING) + place.in(Phase.READY));
        if (room <= 0) {
            return;
        }
        var answer = place.worker.leases(coordinator, room);
        for (var lease : answer.items()) {
            say(place.worker.name + " has " + lease.item());
            var other = holders.put(lease.item(), place);
            if (other != null) {
                complaints.add(place.worker.name + " was given item " + lease.item() + ", which " + other.worker.name
                        + " has");
            }
            leases.merge(lease.item(), 1, Integer::sum);
            place.works.add(new Work(lease, about(typicalFetch), about(typicalRun)));
        }
        if (answer.drained() && place.works.isEmpty()) {
            say(place.worker.name + " leaves");
            place.left = true;
            place.worker.leave(coordinator);
        }
    }

    /** Mostly like the others; some take much longer. */
    private int about(int typical) {
        int one = Math.max(1, typical / 2 + random.nextInt(typical + 1));
        return random.nextInt(10) == 0 ? one * 4 : one;
    }

    /** Nobody is without work for long while others have more than they can begin. */
    private void judge() {
        boolean some = places.stream().anyMatch(Place::spares);
        for (var place : places) {
            boolean idle = place.works.isEmpty() && !place.left && now >= place.comesAt;
            if (!idle || !some) {
                place.idleSince = -1;
            } else if (place.idleSince < 0) {
                place.idleSince = now;
            } else if (now - place.idleSince == PATIENCE + 4 * typicalFetch) {
                complaints.add(place.worker.name + " has had nothing for " + (now - place.idleSince)
                        + " ticks, while others have more than they can begin");
            }
        }
    }

    private void say(String what) {
        story.add(now + ": " + what);
    }
}
