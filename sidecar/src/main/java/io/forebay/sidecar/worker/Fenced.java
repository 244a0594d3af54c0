package io.forebay.sidecar.worker;

/** This attempt may not publish: the coordinator has given the item to another. Its traces are removed, nothing is reported. */
final class Fenced extends Exception {
    private static final long serialVersionUID = 1L;

    Fenced(String message) {
        super(message);
    }
}
