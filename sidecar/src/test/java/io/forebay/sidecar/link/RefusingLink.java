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

/** A coordinator that answers nothing yet. */
class RefusingLink implements CoordinatorLink {
    private static LinkException planning() {
        return new LinkException("the coordinator is still planning", new IllegalStateException());
    }

    @Override
    public Registered register(Register hello) throws LinkException {
        throw planning();
    }

    @Override
    public SharedInputs shared() throws LinkException {
        throw planning();
    }

    @Override
    public Leases lease(LeaseRequest request) throws LinkException {
        throw planning();
    }

    @Override
    public Renewed renew(Renew renew) throws LinkException {
        throw planning();
    }

    @Override
    public Answer staging(Staging staging) throws LinkException {
        throw planning();
    }

    @Override
    public Answer commit(CommitRequest request) throws LinkException {
        throw planning();
    }

    @Override
    public Ended ended(ItemEnded ended) throws LinkException {
        throw planning();
    }

    @Override
    public void leave(Leave leave) throws LinkException {
        throw planning();
    }

    @Override
    public void release(Release release) throws LinkException {
        throw planning();
    }
}
