package io.enipam.sdk;

import java.time.Duration;

/** An {@link Allocator}'s answer to a {@link Claim}: a {@link Grant}, a refusal, or that it is asked again. */
public sealed interface Decision permits Grant, Decision.Refusal, Decision.Later {
    /**
     * The claim gets nothing, and what the transaction wrote is dropped.
     *
     * @param why for the caller, one line
     */
    record Refusal(ErrorKind kind, String why) implements Decision {}

    /**
     * The claim has to wait. What the transaction wrote is kept, its effects are performed, and the allocator is asked again
     * when they are, after the time, and when the claim comes again.
     *
     * @param after above zero
     * @param why for an operator, one line
     */
    record Later(Duration after, String why) implements Decision {
        public Later {
            if (after.isNegative() || after.isZero()) {
                throw new IllegalArgumentException("later is after more than no time, got " + after);
            }
        }
    }

    static Decision refuse(ErrorKind kind, String why) {
        return new Refusal(kind, why);
    }

    static Decision later(Duration after, String why) {
        return new Later(after, why);
    }
}
