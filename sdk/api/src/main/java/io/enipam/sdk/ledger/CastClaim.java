package io.enipam.sdk.ledger;

import io.enipam.sdk.Claim;
import io.enipam.sdk.Tally;
import io.enipam.sdk.Vote;
import java.time.Instant;
import java.util.Map;

/**
 * A claim on a ballot, of the part that cast it.
 *
 * @param since when it was cast
 * @param round distinguishes it from one of the same id that was cast before, over restarts as well; above zero
 * @param decided whether it was decided, and the part has been told
 * @param votes those that decided it
 */
public record CastClaim(
        String ballot, Claim claim, Instant since, long round, boolean decided, Map<String, Vote> votes) {
    public CastClaim {
        votes = Map.copyOf(votes);
    }

    /** @param missing the voters that it waits for, with the reason */
    public Tally tally(Map<String, Vote> known, Map<String, String> missing) {
        return new Tally(ballot, claim.id(), state(known), since, known, decided ? Map.of() : missing);
    }

    private Tally.State state(Map<String, Vote> known) {
        if (!decided) {
            return Tally.State.WAITING;
        }
        return known.values().stream().anyMatch(Vote.No.class::isInstance)
                ? Tally.State.REFUSED
                : Tally.State.ALLOCATED;
    }

    CastClaim decidedBy(Map<String, Vote> deciding) {
        return new CastClaim(ballot, claim, since, round, true, deciding);
    }
}
