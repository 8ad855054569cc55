package io.enipam.diagnostics.sources;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What came of asking one source.
 *
 * @param source its name
 * @param state whether it answered
 * @param at when it was asked; of an answer that was kept, when that was asked for
 * @param took how long the answer took
 * @param told the answer; present if and only if it is KNOWN
 * @param code of a failure: a name that a program can switch on, such as TIMEOUT or THROTTLED; else empty text
 * @param why of a failure, and of a source that is absent: one line for a person; else empty text
 * @param sayings the answer as single statements
 */
public record Account<T>(
        String source,
        State state,
        Instant at,
        Duration took,
        Optional<T> told,
        String code,
        String why,
        List<Saying> sayings) {
    public Account {
        sayings = List.copyOf(sayings);
    }

    /** Whether a source answered. */
    public enum State {
        /** It answered: what it does not tell of is not there, as far as it knows. */
        KNOWN,
        /** There is no such source in this configuration: nothing follows from its silence. */
        ABSENT,
        /** It could not be asked: nothing follows from its silence. */
        FAILED
    }

    static <T> Account<T> known(Source<T> source, Instant at, Duration took, T told) {
        return new Account<>(source.name(), State.KNOWN, at, took, Optional.of(told), "", "", source.sayings(told));
    }

    static <T> Account<T> absent(String source, Instant at, String why) {
        return new Account<>(source, State.ABSENT, at, Duration.ZERO, Optional.empty(), "", why, List.of());
    }

    static <T> Account<T> failed(String source, Instant at, Duration took, String code, String why) {
        return new Account<>(source, State.FAILED, at, took, Optional.empty(), code, why, List.of());
    }

    public boolean known() {
        return state == State.KNOWN;
    }
}
