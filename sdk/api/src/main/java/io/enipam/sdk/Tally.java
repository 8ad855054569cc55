package io.enipam.sdk;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How a claim stands on a ballot.
 *
 * @param since when it was cast
 * @param votes what voters have said, by the names of their extensions, also {@link Vote.Later}
 * @param missing the registered voters that have said neither yes nor no, with the reason; empty once it is decided
 */
public record Tally(
        String ballot,
        ClaimId claim,
        State state,
        Instant since,
        Map<String, Vote> votes,
        Map<String, String> missing) {
    /** Whether it is decided. */
    public enum State {
        WAITING,
        /** All voters said yes. */
        ALLOCATED,
        /** A voter said no. */
        REFUSED
    }

    public Tally {
        votes = Collections.unmodifiableMap(new TreeMap<>(votes));
        missing = Collections.unmodifiableMap(new TreeMap<>(missing));
    }

    /** The first refusal, by the voters' names. */
    public Optional<Vote.No> refusal() {
        return votes.values().stream()
                .filter(Vote.No.class::isInstance)
                .map(Vote.No.class::cast)
                .findFirst();
    }
}
