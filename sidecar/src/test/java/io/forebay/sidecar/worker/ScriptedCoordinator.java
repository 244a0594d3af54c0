package io.forebay.sidecar.worker;

import io.forebay.message.Messages.Answer;
import io.forebay.message.Messages.AttemptId;
import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.Ended;
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
import io.forebay.message.Messages.SharedInputs;
import io.forebay.message.Messages.Staging;
import io.forebay.sidecar.link.CoordinatorLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A coordinator that says what the test wants it to say, and remembers what it was told. */
final class ScriptedCoordinator implements CoordinatorLink {
    final List<Register> registrations = new CopyOnWriteArrayList<>();
    final AtomicInteger renewals = new AtomicInteger();
    final List<ItemEnded> ends = new CopyOnWriteArrayList<>();
    final List<AttemptId> released = new CopyOnWriteArrayList<>();
    /** Given out once, all together. */
    final Queue<ItemLease> leases = new ConcurrentLinkedQueue<>();

    volatile int generation = 1;
    volatile long leaseMillis = 1200;
    volatile Function<Renew, Renewed> answer = r -> new Renewed(generation, List.of(), List.of(), null);
    /** Nothing is left. */
    volatile boolean drained;

    @Override
    public Registered register(Register hello) {
        registrations.add(hello);
        return new Registered(generation, leaseMillis, "{}", List.of());
    }

    @Override
    public SharedInputs shared() {
        return new SharedInputs(List.of());
    }

    @Override
    public Leases lease(LeaseRequest request) {
        var items = new ArrayList<ItemLease>();
        for (var lease = leases.poll(); lease != null; lease = leases.poll()) {
            items.add(lease);
        }
        return new Leases(items, drained, 20);
    }

    @Override
    public Renewed renew(Renew renew) {
        var told = answer.apply(renew);
        renewals.incrementAndGet();
        return told;
    }

    @Override
    public Answer staging(Staging staging) {
        return Answer.YES;
    }

    @Override
    public Answer commit(CommitRequest request) {
        return Answer.YES;
    }

    @Override
    public Ended ended(ItemEnded ended) {
        ends.add(ended);
        return new Ended(false, false);
    }

    @Override
    public void release(Release release) {
        released.addAll(release.attempts());
    }

    @Override
    public void leave(Leave leave) {}
}
