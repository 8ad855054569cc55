package io.enipam.engine.pool;

import java.time.Instant;
import java.util.Optional;

/**
 * What somebody told the pool to do over what its policy wants. The policy knows nothing of it: the engine lays it over the
 * policy's target.
 *
 * @param kind what it is
 * @param idle of {@code WARM}: how many resources shall be idle; else 0
 * @param since when it was given
 * @param until when it ends by itself; empty for one that does not
 */
public record StandingOrder(Kind kind, int idle, Instant since, Optional<Instant> until) {
    /** The sorts of orders. */
    public enum Kind {
        /** None: the policy alone decides. */
        NONE,
        /** So many are made idle once, and as many idle ones are kept from going back until it ends. */
        WARM,
        /** What is idle goes back, and nothing is made but for callers that wait. */
        DRAINED
    }

    public StandingOrder {
        if (idle < 0 || (kind == Kind.WARM) != until.isPresent() || (kind != Kind.WARM && idle != 0)) {
            throw new IllegalArgumentException("a warm order needs a number and an end, and no other has them");
        }
    }

    public static StandingOrder none(Instant since) {
        return new StandingOrder(Kind.NONE, 0, since, Optional.empty());
    }

    public static StandingOrder drained(Instant since) {
        return new StandingOrder(Kind.DRAINED, 0, since, Optional.empty());
    }

    /** @param idle at least 1 */
    public static StandingOrder warm(int idle, Instant since, Instant until) {
        return new StandingOrder(Kind.WARM, idle, since, Optional.of(until));
    }
}
