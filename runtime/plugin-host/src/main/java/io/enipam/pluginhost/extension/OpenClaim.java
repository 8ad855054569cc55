package io.enipam.pluginhost.extension;

import io.enipam.sdk.Vote;
import io.enipam.sdk.ledger.CastClaim;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known of the votes on a claim that is not decided. Changed in the claim's turn alone; read at any time.
 *
 * <pre>
 * DUE -> ASKED -> VOTED               it said yes or no
 *        ASKED -> PAUSED -> DUE       it said later, or failed: until the pause is over, or it is opened anew
 * </pre>
 */
final class OpenClaim {
    private final CastClaim cast;
    private final Map<String, Asking> byVoter = new ConcurrentHashMap<>();

    OpenClaim(CastClaim cast) {
        this.cast = cast;
    }

    private enum Phase {
        DUE,
        ASKED,
        PAUSED,
        VOTED
    }

    /**
     * How far it is with one voter, or, under the coordinator's name, with telling that.
     *
     * @param vote the last one
     * @param failures in a row
     * @param trouble why the last call failed, or the vote is later; empty text if it did not
     */
    record Asking(Phase phase, Optional<Vote> vote, int failures, String trouble) {
        private static final Asking FIRST = new Asking(Phase.DUE, Optional.empty(), 0, "");

        private Asking in(Phase next) {
            return new Asking(next, vote, failures, trouble);
        }
    }

    CastClaim cast() {
        return cast;
    }

    /** Takes note that a voter is asked now, if it is due. */
    boolean ask(String voter) {
        Asking known = byVoter.getOrDefault(voter, Asking.FIRST);
        if (known.phase() == Phase.DUE) {
            byVoter.put(voter, known.in(Phase.ASKED));
        }
        return known.phase() == Phase.DUE;
    }

    void voted(String voter, Vote vote) {
        byVoter.put(voter, new Asking(Phase.VOTED, Optional.of(vote), 0, ""));
    }

    /** It is to be asked again after a pause. */
    Asking later(String voter, Vote.Later later) {
        return paused(voter, new Asking(Phase.PAUSED, Optional.of(later), 0, later.why()));
    }

    /** The same for a call that failed. */
    Asking failed(String voter, String why) {
        Asking known = byVoter.getOrDefault(voter, Asking.FIRST);
        return paused(voter, new Asking(Phase.PAUSED, known.vote(), known.failures() + 1, why));
    }

    private Asking paused(String voter, Asking now) {
        byVoter.put(voter, now);
        return now;
    }

    /** The pause is over, unless it ended before. */
    void due(String voter, Asking paused) {
        byVoter.replace(voter, paused, paused.in(Phase.DUE));
    }

    /** It is opened anew: there is no pause any more. */
    void due(String voter) {
        byVoter.computeIfPresent(voter, (name, known) -> known.phase() == Phase.PAUSED ? known.in(Phase.DUE) : known);
    }

    /** What some voters have said so far. */
    Map<String, Vote> votes(Set<String> voters) {
        Map<String, Vote> votes = new TreeMap<>();
        voters.forEach(voter -> known(voter).flatMap(Asking::vote).ifPresent(vote -> votes.put(voter, vote)));
        return votes;
    }

    Optional<Asking> known(String voter) {
        return Optional.ofNullable(byVoter.get(voter));
    }
}
