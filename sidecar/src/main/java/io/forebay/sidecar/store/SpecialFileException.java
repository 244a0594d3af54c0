package io.forebay.sidecar.store;

/** That name is a FIFO, a socket or a device: nothing that can be read to an end. */
public final class SpecialFileException extends StoreException {
    private static final long serialVersionUID = 1;

    private final String what;

    /** @param what it is, as in {@code a FIFO} */
    public SpecialFileException(String message, String what) {
        super(Kind.PERMANENT, message);
        this.what = what;
    }

    public String what() {
        return what;
    }
}
