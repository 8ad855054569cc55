package io.enipam.diagnostics.doctor;

import java.time.Instant;
import java.util.Optional;

/** The data that the checks of one run read: each part is gathered once, when it is first asked for. Thread-safe. */
public interface Facts {
    Instant now();

    /**
     * A part of the facts; waits for it.
     *
     * @throws MissingFact if there is no such thing here, or it could not be gathered in time
     */
    <T extends Record> T the(Class<T> part);

    /** The same, for a check that can do without it. */
    default <T extends Record> Optional<T> ifThere(Class<T> part) {
        try {
            return Optional.of(the(part));
        } catch (MissingFact missing) {
            return Optional.empty();
        }
    }

    /** A fact that a check needs is not available; the message says why, for operators. */
    final class MissingFact extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean applicable;

        public MissingFact(String why) {
            this(why, true);
        }

        private MissingFact(String why, boolean applicable) {
            super(why, null, false, false);
            this.applicable = applicable;
        }

        /** A fact that does not exist in this configuration, so that it is not missed. */
        public static MissingFact notApplicable(String why) {
            return new MissingFact(why, false);
        }

        /** What a check has to say that needs it. */
        Outcome outcome() {
            String why = String.valueOf(getMessage());
            return applicable ? Outcome.skipped(why) : Outcome.notApplicable(why);
        }
    }
}
