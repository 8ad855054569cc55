package io.enipam.sdk;

import java.util.List;
import java.util.Optional;

/** How the claims stand that a {@link Coordinator} has cast. Thread-safe. */
public interface Ballots {
    /** How a claim stands; empty if it is not on the ballot. */
    Optional<Tally> tally(String ballot, ClaimId claim);

    /** All of them, by ballot and claim. */
    List<Tally> all();
}
