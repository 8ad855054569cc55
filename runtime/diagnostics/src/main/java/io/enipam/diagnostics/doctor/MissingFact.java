package io.enipam.diagnostics.doctor;

/** A fact that a check needs is not to be had; the message says why, for people. */
public final class MissingFact extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean applicable;

    public MissingFact(String why) {
        this(why, true);
    }

    private MissingFact(String why, boolean applicable) {
        super(why, null, false, false);
        this.applicable = applicable;
    }

    /** One that there is none of in this configuration, so that nobody misses it. */
    public static MissingFact notApplicable(String why) {
        return new MissingFact(why, false);
    }

    /** Why it is not there. */
    public String why() {
        return String.valueOf(getMessage());
    }

    /** What a check has to say that needs it. */
    Outcome outcome() {
        return applicable ? Outcome.skipped(why()) : Outcome.notApplicable(why());
    }
}
