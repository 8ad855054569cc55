package io.enipam.examples.swarm.docker;

/** What Docker gets instead of an answer: the cause, and what to do about it. */
final class Refusal extends RuntimeException {
    static final int MALFORMED = 400;
    static final int NOT_FOUND = 404;
    static final int CONFLICT = 409;
    static final int UNAVAILABLE = 503;

    private static final long serialVersionUID = 1;

    private final int status;

    /** @param status of HTTP; Docker shows the message, whatever it is */
    Refusal(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }

    /** Never null. */
    String text() {
        return String.valueOf(getMessage());
    }
}
