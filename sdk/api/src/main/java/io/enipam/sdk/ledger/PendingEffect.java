package io.enipam.sdk.ledger;

import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Effect;
import java.util.Optional;

/**
 * An effect that waits.
 *
 * @param number among the effects of its token that wait
 * @param index among the effects of its commit
 * @param cause of which transaction it is
 */
public record PendingEffect(String handler, String token, long number, long index, String arguments, Cause cause) {
    /** What a transaction is about: a claim, a key of a controller, or neither. */
    public record Cause(Optional<ClaimId> claim, Optional<String> key) {
        public static final Cause NONE = new Cause(Optional.empty(), Optional.empty());

        public static Cause of(ClaimId claim) {
            return new Cause(Optional.of(claim), Optional.empty());
        }

        public static Cause of(String key) {
            return new Cause(Optional.empty(), Optional.of(key));
        }
    }

    public Optional<ClaimId> claim() {
        return cause.claim();
    }

    public Optional<String> key() {
        return cause.key();
    }

    /** The effect as the part gets it. */
    public Effect attempt(int attempt) {
        record Attempt(
                String handler,
                String token,
                String arguments,
                Optional<ClaimId> claim,
                Optional<String> key,
                int attempt)
                implements Effect {}
        return new Attempt(handler, token, arguments, cause.claim(), cause.key(), attempt);
    }

    /** Identifies it among those of its part that wait: the token, and the number. */
    public String id() {
        return token + "/" + number;
    }
}
