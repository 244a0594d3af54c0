package io.forebay.bench.work;

/** A contender exited with 0, and what it left is not what it should be. */
public final class WrongResult extends Exception {
    private static final long serialVersionUID = 1L;

    WrongResult(String message) {
        super(message);
    }
}
