package io.enipam.sdk.ledger;

import io.enipam.sdk.Allocator;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Decision;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Next;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.ledger.BallotRows.ClaimOnBallot;
import io.enipam.sdk.ledger.BallotRows.NotTaken;
import io.enipam.sdk.ledger.PendingEffect.Cause;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The host's rows for one part: effects that wait, grants in force, and what it has on ballots. A layer over the plugin's journal,
 * whatever that is kept in: each is a row of a reserved table, written by the very transaction that wants it. Thread-safe.
 *
 * <p>Effects are performed in the order of their commits where they have a token, a claim or a key in common. Two transactions that
 * write effects of one token conflict, since each scans the token's rows; two for one claim conflict over the row of its grant; two
 * for one key never run at once. So the revisions of the rows are that order, after a crash as well.
 */
public final class Ledger {
    /** How names of the host's tables begin. */
    public static final String RESERVED = "enipam-";

    private static final Table<PendingEffect> EFFECTS =
            new Table<>(RESERVED + "effects", 1, new LedgerCodecs.OfEffects());
    /** The table with the claims of all parts: the keys begin with the part's name and a slash. */
    public static final String GRANTS_TABLE = RESERVED + "grants";

    private static final Table<HeldGrant> GRANTS = new Table<>(GRANTS_TABLE, 1, new LedgerCodecs.OfGrants());

    private final Journal journal;
    private final String part;
    private final Clock clock;
    private final BallotRows ballots;
    private final List<Consumer<List<PendingEffect>>> followers = new CopyOnWriteArrayList<>();
    private final List<Consumer<Set<ClaimOnBallot>>> ballotFollowers = new CopyOnWriteArrayList<>();

    /**
     * @param journal the plugin's, without any such layer
     * @param part its name, different from that of every other part with this journal
     */
    public Ledger(Journal journal, String part, Clock clock) {
        this.journal = journal;
        this.part = part;
        this.clock = clock;
        journal.open(EFFECTS);
        journal.open(GRANTS);
        this.ballots = new BallotRows(this, journal, part, clock);
    }

    /** What the part has on ballots. */
    public BallotRows ballots() {
        return ballots;
    }

    /** A plugin's journal for what has no effects: it lacks the host's tables, and nothing else. */
    public static Journal withoutEffects(Journal journal) {
        return new PartJournal(journal);
    }

    /** The journal for the part: its transactions may have effects. */
    public Journal journal() {
        Journal without = new PartJournal(journal);
        return new Journal() {
            @Override
            public void open(Table<?> table) {
                without.open(table);
            }

            @Override
            public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
                return committed(Cause.NONE, change);
            }

            @Override
            public AutoCloseable watch(Table<?> table, Source.Sink sink) {
                return without.watch(table, sink);
            }

            @Override
            public <R> R read(Function<Transaction, R> query) {
                return without.read(query);
            }
        };
    }

    /** @param follower gets the effects of each commit, in order, when it is durable; must not block */
    public void follow(Consumer<List<PendingEffect>> follower) {
        followers.add(follower);
    }

    /** @param follower gets the claims that each commit cast or withdrew, when it is durable; must not block */
    public void followBallots(Consumer<Set<ClaimOnBallot>> follower) {
        ballotFollowers.add(follower);
    }

    /** Ends {@link #follow}. */
    public void unfollow(Consumer<List<PendingEffect>> follower) {
        followers.remove(follower);
    }

    <R> CompletionStage<R> committed(Cause cause, Function<? super PartTransaction, R> change) {
        return committed(cause, change, true).exceptionallyCompose(failure -> {
            return cause(failure) instanceof NotTaken
                    ? committed(cause, change, false)
                    : CompletableFuture.failedStage(failure);
        });
    }

    /** @param atOnce whether claims that are cast are decided, where their ballots have no voters */
    private <R> CompletionStage<R> committed(Cause cause, Function<? super PartTransaction, R> change, boolean atOnce) {
        record Outcome<R>(R result, List<PendingEffect> effects, Set<ClaimOnBallot> ballots) {}
        return journal.commit(tx -> {
                    PartTransaction with = new PartTransaction(tx, cause, atOnce);
                    R result = change.apply(with);
                    // what is decided may cast another one
                    while (!with.decided.isEmpty()) {
                        Map.Entry<ClaimOnBallot, Claim> next =
                                with.decided.entrySet().iterator().next();
                        with.decided.remove(next.getKey());
                        ballots.decidedAtOnce(next.getKey().ballot(), next.getValue(), with);
                    }
                    return new Outcome<>(result, with.effects, with.onBallots);
                })
                .thenApply(outcome -> {
                    if (!outcome.effects().isEmpty()) {
                        followers.forEach(follower -> follower.accept(outcome.effects()));
                    }
                    if (!outcome.ballots().isEmpty()) {
                        ballotFollowers.forEach(follower -> follower.accept(outcome.ballots()));
                    }
                    return outcome.result();
                });
    }

    /** The effects that wait, in the order of their commits. */
    public List<PendingEffect> effects() {
        return journal.read(tx -> tx.scan(EFFECTS, part + "/")
                .sorted(Comparator.comparingLong(Row<PendingEffect>::revision)
                        .thenComparingLong(row -> row.value().index()))
                .map(Row::value)
                .toList());
    }

    /**
     * An effect is performed, or dropped: it does not wait any more.
     *
     * @param leads asked last in the transaction: another one may have the effect's number already where this host leads no more
     * @return fails with {@link JournalException} {@link ErrorKind#UNAVAILABLE} if it does not lead, else as {@link Journal#commit}
     */
    public CompletionStage<Void> forget(PendingEffect effect, BooleanSupplier leads) {
        String key = key(effect.id());
        return journal.update(tx -> {
            // read, so that a change of the row by another leader is a conflict
            if (tx.get(EFFECTS, key).isPresent()) {
                tx.delete(EFFECTS, key);
            }
            requireLeader(leads);
        });
    }

    /**
     * Reconciles a key.
     *
     * @param leads asked last in the transaction
     * @return completes when it is durable; fails with what the controller threw, with {@link JournalException}
     *     {@link ErrorKind#UNAVAILABLE} if the host does not lead, or as {@link Journal#commit}
     */
    public CompletionStage<Next> reconcile(String key, Controller controller, BooleanSupplier leads) {
        return answered(this.<Next>committed(Cause.of(key), tx -> {
            Next next = controller.reconcile(key, tx);
            if (next == null) {
                throw new IllegalStateException("reconcile answered null");
            }
            if (next instanceof Next.Retry) {
                throw new Dropped(next);
            }
            requireLeader(leads);
            return next;
        }));
    }

    private static void requireLeader(BooleanSupplier leads) {
        if (!leads.getAsBoolean()) {
            throw new JournalException(ErrorKind.UNAVAILABLE, "this host does not lead any more");
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** An answer that came out of a transaction without a commit is an answer like another one. */
    @SuppressWarnings("unchecked") // each kind of transaction drops answers of its own type alone
    private static <R> CompletionStage<R> answered(CompletionStage<R> committed) {
        return committed.exceptionally(failure -> {
            Throwable cause = cause(failure);
            if (cause instanceof Dropped dropped) {
                return (R) dropped.answer;
            }
            throw new CompletionException(cause);
        });
    }

    /** The claims that have a grant in force, or wait, by id. */
    public List<HeldGrant> grants() {
        return journal.read(tx -> tx.scan(GRANTS, part + "/").map(Row::value).toList());
    }

    /** What is known of a claim. */
    public Optional<HeldGrant> grant(ClaimId claim) {
        return journal.read(tx -> tx.get(GRANTS, key(claim.text()))).map(Row::value);
    }

    /**
     * Serves a claim: by the grant that is in force, or else as the allocator decides.
     *
     * @return completes when it is durable; fails with what the allocator threw, or as {@link Journal#commit}
     */
    public CompletionStage<Decision> allocate(Claim claim, Allocator allocator) {
        return allocate(claim, allocator::allocate).thenApply(Decided::decision);
    }

    /**
     * What came of a claim.
     *
     * @param effects whether the same commit has effects: they may be performed already
     */
    public record Decided(Decision decision, boolean effects) {}

    /**
     * The same.
     *
     * @param allocator {@link Allocator#allocate} of one, with what is around it
     */
    public CompletionStage<Decided> allocate(Claim claim, BiFunction<Claim, Transaction, Decision> allocator) {
        String key = key(claim.id().text());
        return answered(this.<Decided>committed(Cause.of(claim.id()), tx -> {
            Optional<HeldGrant> held = tx.get(GRANTS, key).map(Row::value);
            Optional<Grant> inForce = held.flatMap(HeldGrant::grant);
            Decision decision = inForce.isPresent() ? inForce.get() : decided(claim, key, held, allocator, tx);
            return new Decided(decision, !tx.effects.isEmpty());
        }));
    }

    private Decision decided(
            Claim claim,
            String key,
            Optional<HeldGrant> held,
            BiFunction<Claim, Transaction, Decision> allocator,
            Transaction tx) {
        Decision decision = allocator.apply(claim, tx);
        if (decision == null) {
            throw new IllegalStateException("allocate answered null");
        }
        if (decision instanceof Decision.Refusal) {
            throw new Dropped(new Decided(decision, false));
        }
        Optional<Grant> grant = decision instanceof Grant given ? Optional.of(given) : Optional.empty();
        if (grant.isPresent() && !grant.get().claim().equals(claim.id())) {
            throw new IllegalStateException(
                    "the grant is for claim " + grant.get().claim() + ", and " + claim.id() + " asked");
        }
        HeldGrant now = new HeldGrant(
                claim.id(),
                claim.subject().kind(),
                claim.subject().name(),
                claim.subject().uid().isEmpty()
                        ? held.map(HeldGrant::uid).orElse("")
                        : claim.subject().uid(),
                held.map(HeldGrant::since).orElseGet(clock::instant),
                grant);
        if (!held.equals(Optional.of(now))) {
            tx.put(GRANTS, key, now);
        }
        return decision;
    }

    /**
     * Ends a claim: its grant is released, or its waiting.
     *
     * @return completes when it is durable, with whether there was anything to end
     */
    public CompletionStage<Boolean> release(ClaimId claim, Allocator allocator) {
        return release(claim, held -> true, allocator);
    }

    /**
     * The same, unless the claim is another one by now.
     *
     * @param claim as it was looked at: it may have got its grant since then
     */
    public CompletionStage<Boolean> release(HeldGrant claim, Allocator allocator) {
        return release(
                claim.claim(),
                held -> held.since().equals(claim.since()) && held.owner().equals(claim.owner()),
                allocator);
    }

    private CompletionStage<Boolean> release(ClaimId claim, Predicate<HeldGrant> still, Allocator allocator) {
        String key = key(claim.text());
        return committed(Cause.of(claim), tx -> {
            Optional<HeldGrant> held = tx.get(GRANTS, key).map(Row::value).filter(still);
            held.ifPresent(known -> {
                known.grant()
                        .ifPresentOrElse(grant -> allocator.release(grant, tx), () -> allocator.abandon(claim, tx));
                tx.delete(GRANTS, key);
            });
            return held.isPresent();
        });
    }

    /**
     * Has the allocator repair a difference, unless the table has changed since.
     *
     * @param missing whether the grant is in force and the outside lacks it
     * @return whether it is repaired when the effects are performed
     */
    public CompletionStage<Boolean> repair(Grant grant, boolean missing, Allocator allocator) {
        String key = key(grant.claim().text());
        return committed(Cause.of(grant.claim()), tx -> {
            Optional<Grant> inForce = tx.get(GRANTS, key).map(Row::value).flatMap(HeldGrant::grant);
            boolean still = missing ? inForce.equals(Optional.of(grant)) : inForce.isEmpty();
            return still && allocator.repair(grant, missing, tx);
        });
    }

    private String key(String within) {
        return part + "/" + within;
    }

    /** Ends a transaction without a commit; carries the answer out of it. */
    private static final class Dropped extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Object answer;

        Dropped(Object answer) {
            super(String.valueOf(answer), null, false, false);
            this.answer = answer;
        }
    }

    /** A transaction of a part. For one thread. */
    final class PartTransaction implements Transaction {
        private final Transaction tx;
        private Cause cause;
        private final List<PendingEffect> effects = new ArrayList<>();
        private final Set<ClaimOnBallot> onBallots = new HashSet<>();
        private final boolean atOnce;
        /** What was cast as decided, and is to be told. */
        private final Map<ClaimOnBallot, Claim> decided = new LinkedHashMap<>();

        /** @param atOnce whether claims are cast as decided, where their ballots have no voters */
        PartTransaction(Transaction tx, Cause cause, boolean atOnce) {
            this.tx = tx;
            this.cause = cause;
            this.atOnce = atOnce;
        }

        /** What the effects that follow are caused by. */
        void because(Cause now) {
            cause = now;
        }

        @Override
        public <V> Optional<Row<V>> get(Table<V> table, String key) {
            return tx.get(table, key);
        }

        @Override
        public <V> Stream<Row<V>> scan(Table<V> table, String prefix) {
            return tx.scan(table, prefix);
        }

        @Override
        public <V> void put(Table<V> table, String key, V value) {
            tx.put(table, key, value);
        }

        @Override
        public void delete(Table<?> table, String key) {
            tx.delete(table, key);
        }

        @Override
        public void effect(String handler, String token, String arguments) {
            require("handler", handler, "[a-z][a-z0-9-]{0,62}");
            require("token", token, "[!-~]{1,128}");
            long number = tx.scan(EFFECTS, key(token) + "/")
                            .map(Row::value)
                            .filter(waiting -> waiting.token().equals(token))
                            .mapToLong(PendingEffect::number)
                            .max()
                            .orElse(0)
                    + 1;
            PendingEffect effect = new PendingEffect(handler, token, number, effects.size(), arguments, cause);
            tx.put(EFFECTS, key(effect.id()), effect);
            effects.add(effect);
        }

        @Override
        public void cast(String ballot, Claim claim) {
            ClaimOnBallot where = new ClaimOnBallot(ballot, claim.id());
            boolean now = atOnce && ballots.decidesAtOnce(ballot);
            if (ballots.cast(ballot, claim, now, tx)) {
                if (now) {
                    decided.put(where, claim);
                } else {
                    onBallots.add(where);
                }
            }
        }

        @Override
        public void withdraw(String ballot, ClaimId withdrawn) {
            if (ballots.withdraw(ballot, withdrawn, tx)) {
                onBallots.add(new ClaimOnBallot(ballot, withdrawn));
                decided.remove(new ClaimOnBallot(ballot, withdrawn));
            }
        }

        @Override
        public void granted(Grant grant, Subject owner) {
            String key = key(grant.claim().text());
            HeldGrant now = tx.get(GRANTS, key)
                    .map(Row::value)
                    .map(held -> new HeldGrant(
                            held.claim(), held.kind(), held.owner(), held.uid(), held.since(), Optional.of(grant)))
                    .orElseGet(() -> new HeldGrant(
                            grant.claim(),
                            owner.kind(),
                            owner.name(),
                            owner.uid(),
                            clock.instant(),
                            Optional.of(grant)));
            tx.put(GRANTS, key, now);
        }

        @Override
        public void released(ClaimId claim) {
            String key = key(claim.text());
            if (tx.get(GRANTS, key).isPresent()) {
                tx.delete(GRANTS, key);
            }
        }

        private void require(String what, String text, String pattern) {
            if (!text.matches(pattern)) {
                throw new IllegalArgumentException("the effect's " + what + " does not match " + pattern);
            }
        }
    }
}
