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

/**
 * A worker's questions to the coordinator. Thread-safe; each call blocks until the answer, which is durable where it must be,
 * and may be repeated with the same effect.
 */
public interface CoordinatorLink {
    Registered register(Register hello) throws LinkException, InterruptedException;

    SharedInputs shared() throws LinkException, InterruptedException;

    Leases lease(LeaseRequest request) throws LinkException, InterruptedException;

    Renewed renew(Renew renew) throws LinkException, InterruptedException;

    /** Durable at return: what is named may now be made at the destinations. */
    Answer staging(Staging staging) throws LinkException, InterruptedException;

    /** Yes: the intent is durable, publish now. */
    Answer commit(CommitRequest request) throws LinkException, InterruptedException;

    /** The completion (or failure) is durable at return. */
    Ended ended(ItemEnded ended) throws LinkException, InterruptedException;

    void release(Release release) throws LinkException, InterruptedException;

    /** The last that a worker says. */
    void leave(Leave leave) throws LinkException, InterruptedException;

    /** The coordinator cannot be reached, or its answer did not arrive; ask again. */
    final class LinkException extends Exception {
        private static final long serialVersionUID = 1L;

        /** What is known of the coordinator. */
        public enum Kind {
            /** It did not answer. */
            AWAY,
            /** It is there, and cannot answer yet: it plans. */
            NOT_NOW,
            /** It is there, and does not take this worker's token. */
            REFUSED
        }

        private final Kind kind;

        public LinkException(String message, Throwable cause) {
            this(Kind.AWAY, message, cause);
        }

        public LinkException(Kind kind, String message, Throwable cause) {
            super(message, cause);
            this.kind = kind;
        }

        public Kind kind() {
            return kind;
        }
    }
}
