package io.enipam.sdk.ledger;

import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Vote;
import java.time.Instant;

/**
 * A vote, of the part that voted.
 *
 * @param coordinator the extension that cast the claim
 * @param round of the claim ({@link CastClaim#round})
 * @param since when it voted so
 */
public record HeldVote(String coordinator, String ballot, ClaimId claim, long round, Instant since, Vote vote) {}
