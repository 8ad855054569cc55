package io.enipam.daemon.doctor;

/** A fact that a check needs is not to be had; the message says why, for people. */
public final class MissingFact extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MissingFact(String why) {
        super(why, null, false, false);
    }

    /** Why it is not there. */
    public String why() {
        return String.valueOf(getMessage());
    }
}
