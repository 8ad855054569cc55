package io.enipam.sdk.ledger;

import io.enipam.sdk.Ballots;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Coordinator;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Tally;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Voter;
import io.enipam.sdk.ledger.PendingEffect.Cause;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What a part has on ballots: the claims that it cast, and its votes on claims of any part. Thread-safe.
 *
 * <p>A claim is identified by ballot, id and round. The round is the revision of the row with which it was cast, so that a vote on a claim
 * that was withdrawn never counts for one that was cast after that: no transaction reaches over the journals of two plugins, and
 * none has to.
 */
public final class BallotRows implements Ballots {
    private static final int LONGEST_CLAIM = 380;
    private static final Pattern BALLOT = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final Table<CastClaim> CASTS = new Table<>(Ledger.RESERVED + "casts", 1, new BallotCodecs.OfCasts());
    private static final Table<HeldVote> VOTES = new Table<>(Ledger.RESERVED + "votes", 1, new BallotCodecs.OfVotes());

    private final Ledger ledger;
    private final Journal journal;
    private final String part;
    private final Clock clock;
    private volatile Function<CastClaim, Tally> explained = cast -> cast.tally(cast.votes(), Map.of());
    private volatile Predicate<String> withoutVoters = ballot -> false;
    private volatile Optional<Coordinator> coordinator = Optional.empty();

    BallotRows(Ledger ledger, Journal journal, String part, Clock clock) {
        this.ledger = ledger;
        this.journal = journal;
        this.part = part;
        this.clock = clock;
        journal.open(CASTS);
        journal.open(VOTES);
    }

    /** Where a claim of a part is. */
    public record ClaimOnBallot(String ballot, ClaimId claim) {}

    /** @param explained how a claim stands, with what is known of it beside its row */
    public void explainedBy(Function<CastClaim, Tally> explained) {
        this.explained = explained;
    }

    /**
     * Has claims that are cast on a ballot without voters decided by the very transaction that casts them.
     *
     * @param coordinator the part that casts them; where it throws, they are cast alone, and wait for {@link #decide}
     * @param ballots asked in each transaction whether a ballot has no voters, and claims on it may be decided here
     */
    public void decidesAtOnce(Coordinator coordinator, Predicate<String> ballots) {
        this.coordinator = Optional.of(coordinator);
        this.withoutVoters = ballots;
    }

    @Override
    public Optional<Tally> tally(String ballot, ClaimId claim) {
        return cast(ballot, claim).map(explained);
    }

    @Override
    public List<Tally> all() {
        return casts().stream().map(explained).toList();
    }

    /** The claims on ballots, by ballot and id. */
    public List<CastClaim> casts() {
        return journal.read(
                tx -> tx.scan(CASTS, part + "/").map(BallotRows::inItsRound).toList());
    }

    public Optional<CastClaim> cast(String ballot, ClaimId claim) {
        return journal.read(tx -> cast(ballot, claim, tx));
    }

    private Optional<CastClaim> cast(String ballot, ClaimId claim, Transaction tx) {
        return tx.get(CASTS, key(ballot, claim)).map(BallotRows::inItsRound);
    }

    private static CastClaim inItsRound(Row<CastClaim> row) {
        CastClaim value = row.value();
        // one that was decided when it was cast did not know its round
        return value.round() > 0
                ? value
                : new CastClaim(
                        value.ballot(), value.claim(), value.since(), row.revision(), value.decided(), value.votes());
    }

    private String key(String within, ClaimId claim) {
        return part + "/" + within + "/" + claim.text();
    }

    /** Whether a claim on a ballot is decided where it is cast: it has no voters. */
    boolean decidesAtOnce(String ballot) {
        return coordinator.isPresent() && withoutVoters.test(ballot);
    }

    /**
     * Casts a claim, within a transaction of the part. Returns whether it was not there before.
     *
     * @param decided whether it is decided with that: {@link #decidedAtOnce} is to be called
     */
    boolean cast(String ballot, Claim claim, boolean decided, Transaction tx) {
        if (!BALLOT.matcher(ballot).matches() || claim.id().text().length() > LONGEST_CLAIM) {
            throw new IllegalArgumentException(
                    "a ballot is called [a-z][a-z0-9-]{0,62}, and a claim on it has an id of at most " + LONGEST_CLAIM
                            + " characters");
        }
        String key = key(ballot, claim.id());
        if (tx.get(CASTS, key).isPresent()) {
            return false;
        }
        tx.put(
                CASTS,
                key,
                new CastClaim(ballot, BallotCodecs.OfCasts.kept(claim), clock.instant(), 0, decided, Map.of()));
        return true;
    }

    /** Takes a claim off, within a transaction of the part. Returns whether it was there. */
    boolean withdraw(String ballot, ClaimId claim, Transaction tx) {
        String key = key(ballot, claim);
        boolean there = tx.get(CASTS, key).isPresent();
        if (there) {
            tx.delete(CASTS, key);
        }
        return there;
    }

    /**
     * Tells the part of a claim that was cast as decided.
     *
     * @throws NotTaken if it does not take the decision
     */
    void decidedAtOnce(String ballot, Claim claim, Transaction tx) {
        try {
            coordinator
                    .orElseThrow()
                    .decided(
                            new CastClaim(ballot, claim, clock.instant(), 0, true, Map.of()).tally(Map.of(), Map.of()),
                            tx);
        } catch (RuntimeException e) {
            throw new NotTaken(e);
        }
    }

    /** Why a decision cannot be taken in the transaction that casts the claim. */
    static final class NotTaken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotTaken(RuntimeException cause) {
            super("the coordinator did not take a decision", cause);
        }
    }

    /**
     * A claim that is to be decided.
     *
     * @param votes those that decide it
     */
    public record Outcome(CastClaim open, Map<String, Vote> votes) {}

    /**
     * Decides claims and tells the part, but for those that were withdrawn or decided meanwhile; in one transaction: all of them, or none.
     *
     * @return completes when that is durable, with whether each is decided by this call
     */
    public CompletionStage<List<Boolean>> decide(List<Outcome> outcomes, Coordinator coordinator) {
        return together(outcomes, outcome -> outcome.open().claim().id(), (outcome, tx) -> {
            CastClaim open = outcome.open();
            Optional<CastClaim> now = cast(open.ballot(), open.claim().id(), tx);
            if (now.isEmpty() || now.get().decided() || now.get().round() != open.round()) {
                return false;
            }
            CastClaim decided = now.get().decidedBy(outcome.votes());
            tx.put(CASTS, key(open.ballot(), open.claim().id()), decided);
            coordinator.decided(decided.tally(outcome.votes(), Map.of()), tx);
            return true;
        });
    }

    /** Does the same for each of several claims, in their order and one transaction. */
    private <Q, A> CompletionStage<List<A>> together(
            List<Q> all, Function<Q, ClaimId> claim, BiFunction<Q, Transaction, A> each) {
        return ledger.committed(Cause.NONE, tx -> {
            List<A> answers = new ArrayList<>();
            for (Q one : all) {
                tx.because(Cause.of(claim.apply(one)));
                answers.add(each.apply(one, tx));
            }
            return answers;
        });
    }

    /** The votes, by coordinator and claim. */
    public List<HeldVote> votes() {
        return journal.read(tx -> tx.scan(VOTES, part + "/").map(Row::value).toList());
    }

    /** The vote on a claim, of whatever round. */
    public Optional<HeldVote> vote(String coordinator, ClaimId claim) {
        return journal.read(tx -> tx.get(VOTES, key(coordinator, claim))).map(Row::value);
    }

    /**
     * A claim that is to be voted on.
     *
     * @param coordinator the extension that cast it
     */
    public record Question(String coordinator, CastClaim cast) {}

    /**
     * Has the part vote on a claim, unless it has said yes or no to it before. A vote on an earlier round is taken back first.
     *
     * @param coordinator the extension that cast it
     * @return completes when the vote is durable; fails with what the voter threw, or as {@link Journal#commit}
     */
    public CompletionStage<Vote> vote(String coordinator, CastClaim cast, Voter voter) {
        return vote(List.of(new Question(coordinator, cast)), voter).thenApply(votes -> votes.get(0));
    }

    /** The same for several, in one transaction: all of them, or none. */
    public CompletionStage<List<Vote>> vote(List<Question> questions, Voter voter) {
        return together(questions, question -> question.cast().claim().id(), (question, tx) -> {
            CastClaim cast = question.cast();
            ClaimId claim = cast.claim().id();
            String key = key(question.coordinator(), claim);
            Optional<HeldVote> held = tx.get(VOTES, key).map(Row::value);
            boolean sameRound = held.isPresent() && held.get().round() == cast.round();
            if (sameRound && !(held.get().vote() instanceof Vote.Later)) {
                return held.get().vote();
            }
            if (held.isPresent() && !sameRound) {
                voter.withdrawn(claim, tx);
            }
            Vote vote = voter.vote(cast.claim(), tx);
            if (vote == null) {
                throw new IllegalStateException("vote answered null");
            }
            tx.put(
                    VOTES,
                    key,
                    new HeldVote(question.coordinator(), cast.ballot(), claim, cast.round(), clock.instant(), vote));
            return vote;
        });
    }

    /**
     * Tells the part that a claim was withdrawn on which it has voted, unless it has been told, or has voted on a later round.
     *
     * @return completes when that is durable, with whether it was told by this call
     */
    public CompletionStage<Boolean> takeBack(HeldVote vote, Voter voter) {
        return takeBack(List.of(vote), voter).thenApply(told -> told.get(0));
    }

    /** The same for several, in one transaction: all of them, or none. */
    public CompletionStage<List<Boolean>> takeBack(List<HeldVote> votes, Voter voter) {
        return together(votes, HeldVote::claim, (vote, tx) -> {
            String key = key(vote.coordinator(), vote.claim());
            boolean still = tx.get(VOTES, key)
                    .filter(row -> row.value().round() == vote.round())
                    .isPresent();
            if (still) {
                voter.withdrawn(vote.claim(), tx);
                tx.delete(VOTES, key);
            }
            return still;
        });
    }
}
