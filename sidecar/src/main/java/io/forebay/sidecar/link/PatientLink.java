package io.forebay.sidecar.link;

import io.forebay.message.Messages.Answer;
import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.Ended;
import io.forebay.message.Messages.ItemEnded;
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
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Asks again until there is an answer: a coordinator that is away must not hurt the worker, which goes on computing and staging
 * (DESIGN 4, Leases). Thread-safe.
 */
public final class PatientLink implements CoordinatorLink {
    private static final Duration FIRST_WAIT = Duration.ofMillis(50);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

    private final CoordinatorLink link;
    private final Consumer<String> away;

    /** @param away told, with the reason, each time a call had to be repeated */
    public PatientLink(CoordinatorLink link, Consumer<String> away) {
        this.link = link;
        this.away = away;
    }

    @FunctionalInterface
    private interface Call<T> {
        T ask() throws LinkException, InterruptedException;
    }

    private <T> T patiently(Call<T> call) throws InterruptedException {
        long wait = FIRST_WAIT.toMillis();
        while (true) {
            try {
                return call.ask();
            } catch (LinkException e) {
                away.accept(String.valueOf(e.getMessage()));
                Thread.sleep(wait);
                wait = Math.min(LONGEST_WAIT.toMillis(), wait * 2);
            }
        }
    }

    @Override
    public Registered register(Register hello) throws InterruptedException {
        return patiently(() -> link.register(hello));
    }

    @Override
    public SharedInputs shared() throws InterruptedException {
        return patiently(link::shared);
    }

    /** Once only: the worker asks again anyway. */
    @Override
    public Leases lease(LeaseRequest request) throws LinkException, InterruptedException {
        return link.lease(request);
    }

    /** Once only: the next is due soon. */
    @Override
    public Renewed renew(Renew renew) throws LinkException, InterruptedException {
        return link.renew(renew);
    }

    @Override
    public Answer staging(Staging staging) throws InterruptedException {
        return patiently(() -> link.staging(staging));
    }

    @Override
    public Answer commit(CommitRequest request) throws InterruptedException {
        return patiently(() -> link.commit(request));
    }

    @Override
    public Ended ended(ItemEnded ended) throws InterruptedException {
        return patiently(() -> link.ended(ended));
    }

    /** Once only: a worker that is not heard of has left as well. */
    @Override
    public void leave(Leave leave) throws LinkException, InterruptedException {
        link.leave(leave);
    }

    @Override
    public void release(Release release) throws InterruptedException {
        patiently(() -> {
            link.release(release);
            return true;
        });
    }
}
