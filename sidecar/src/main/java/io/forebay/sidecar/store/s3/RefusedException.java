package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import org.jspecify.annotations.Nullable;

/** The cause of a {@link StoreException} that a server's answer led to; keeps the answer for those who act on its code. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    RefusedException(Failure failure, @Nullable Throwable cause) {
        super(failure.status() + " " + failure.code(), cause, false, false);
        this.failure = failure;
    }

    /** @return the code of S3 that the server gave; empty: none, or it was not the server */
    static String code(StoreException e) {
        return e.getCause() instanceof RefusedException r ? r.failure.code() : "";
    }

    /** @return the HTTP status; 0: it was not the server */
    static int status(StoreException e) {
        return e.getCause() instanceof RefusedException r ? r.failure.status() : 0;
    }
}
