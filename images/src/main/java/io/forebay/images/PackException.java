package io.forebay.images;

/** No image can be made of what was given; the message says of what, and what to do. */
final class PackException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PackException(String message) {
        super(message);
    }

    PackException(String message, Throwable cause) {
        super(message, cause);
    }
}
