package io.enipam.sdk.ledger;

import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Effect;
import java.util.Optional;

/**
 * An effect that waits.
 *
 * @param number among the effects of its token that wait
 * @param index among the effects of its commit
 */
public record PendingEffect(
        String handler, String token, long number, long index, String arguments, Optional<ClaimId> claim) {
    /** The effect as the part gets it. */
    public Effect attempt(int attempt) {
        record Attempt(String handler, String token, String arguments, Optional<ClaimId> claim, int attempt)
                implements Effect {}
        return new Attempt(handler, token, arguments, claim, attempt);
    }

    /** Identifies it among those of its part that wait: the token, and the number. */
    public String id() {
        return token + "/" + number;
    }
}
