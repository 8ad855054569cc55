package io.enipam.examples.swarm.pools;

/** Something cannot be allocated; nothing was. */
public final class AllocationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** What a caller that has other choices needs to know. */
    public enum Reason {
        /** There is none left, or an address that was asked for is of another subnet: another subnet may have it. */
        NOT_HERE,
        /** The very thing that was asked for is taken. */
        TAKEN,
        OTHER
    }

    public AllocationException(String why) {
        this(Reason.OTHER, why);
    }

    public AllocationException(Reason reason, String why) {
        super(why);
        this.reason = reason;
    }

    /** The same with the reason of what was to be done in front. */
    public AllocationException during(String what) {
        AllocationException wider = new AllocationException(reason, what + ": " + getMessage());
        wider.initCause(this);
        return wider;
    }

    public Reason reason() {
        return reason;
    }
}
