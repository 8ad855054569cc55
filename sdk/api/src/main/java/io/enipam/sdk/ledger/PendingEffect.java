package io.enipam.sdk.ledger;

import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Effect;
import java.util.Optional;

/**
 * An effect that waits.
 *
 * @param order those of one order are performed one after the other, by number: a claim's text, or else a token
 * @param number within the order
 */
public record PendingEffect(
        String order, long number, String handler, String token, String arguments, Optional<ClaimId> claim) {
    /** The effect as the part gets it. */
    public Effect attempt(int attempt) {
        record Attempt(String handler, String token, String arguments, Optional<ClaimId> claim, int attempt)
                implements Effect {}
        return new Attempt(handler, token, arguments, claim, attempt);
    }

    /** Identifies it among those of its part that wait: the order, and the number in it. */
    public String id() {
        return order + "/" + "%010d".formatted(number);
    }
}
