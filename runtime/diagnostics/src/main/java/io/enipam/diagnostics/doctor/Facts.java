package io.enipam.diagnostics.doctor;

import java.time.Instant;
import java.util.Optional;

/** What the checks of one run judge: each part is gathered once, when it is first asked for. Thread-safe. */
public interface Facts {
    /** When the run began. */
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
}
