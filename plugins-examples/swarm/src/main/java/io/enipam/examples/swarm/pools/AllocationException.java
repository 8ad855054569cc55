package io.enipam.examples.swarm.pools;

import io.enipam.sdk.ErrorKind;

/**
 * Something cannot be allocated; nothing was. The message has swarmkit's words.
 *
 * <p>{@link ErrorKind#ADDRESSES_EXHAUSTED}: none is left here, and there may be one elsewhere. {@link ErrorKind#CONFLICT}: another one has
 * what was asked for, or what is needed is not there yet. {@link ErrorKind#MISCONFIGURED}: what was asked for cannot be had at any time.
 */
public final class AllocationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorKind kind;

    /** A {@link ErrorKind#CONFLICT}. */
    public AllocationException(String why) {
        this(ErrorKind.CONFLICT, why);
    }

    public AllocationException(ErrorKind kind, String why) {
        super(why);
        this.kind = kind;
    }

    /** The same, with what was to be done in front of its message. */
    public AllocationException during(String what) {
        AllocationException wider = new AllocationException(kind, what + ": " + getMessage());
        wider.initCause(this);
        return wider;
    }

    public ErrorKind kind() {
        return kind;
    }
}
