package io.forebay.sidecar.apart;

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
import io.forebay.sidecar.link.CoordinatorLink;
import java.time.Duration;

/** Remembers when the coordinator answered last, and why it did not since. Thread-safe. */
final class Contact implements CoordinatorLink {
    private final CoordinatorLink link;
    private volatile long answeredAtNanos = System.nanoTime();
    private volatile String problem = "";

    Contact(CoordinatorLink link) {
        this.link = link;
    }

    /** Since the last answer, or since the beginning. */
    Duration silence() {
        return Duration.ofNanos(System.nanoTime() - answeredAtNanos);
    }

    /** The last failure since the last answer; empty: none. */
    String problem() {
        return problem;
    }

    @FunctionalInterface
    private interface Call<T> {
        T ask() throws LinkException, InterruptedException;
    }

    private <T> T noting(Call<T> call) throws LinkException, InterruptedException {
        try {
            var answer = call.ask();
            answeredAtNanos = System.nanoTime();
            problem = "";
            return answer;
        } catch (LinkException e) {
            problem = String.valueOf(e.getMessage());
            if (e.kind() == LinkException.Kind.NOT_NOW) {
                answeredAtNanos = System.nanoTime();
            }
            throw e;
        }
    }

    @Override
    public Registered register(Register hello) throws LinkException, InterruptedException {
        return noting(() -> link.register(hello));
    }

    @Override
    public SharedInputs shared() throws LinkException, InterruptedException {
        return noting(link::shared);
    }

    @Override
    public Leases lease(LeaseRequest request) throws LinkException, InterruptedException {
        return noting(() -> link.lease(request));
    }

    @Override
    public Renewed renew(Renew renew) throws LinkException, InterruptedException {
        return noting(() -> link.renew(renew));
    }

    @Override
    public Answer staging(Staging staging) throws LinkException, InterruptedException {
        return noting(() -> link.staging(staging));
    }

    @Override
    public Answer commit(CommitRequest request) throws LinkException, InterruptedException {
        return noting(() -> link.commit(request));
    }

    @Override
    public Ended ended(ItemEnded ended) throws LinkException, InterruptedException {
        return noting(() -> link.ended(ended));
    }

    @Override
    public void release(Release release) throws LinkException, InterruptedException {
        noting(() -> {
            link.release(release);
            return true;
        });
    }

    @Override
    public void leave(Leave leave) throws LinkException, InterruptedException {
        noting(() -> {
            link.leave(leave);
            return true;
        });
    }
}
