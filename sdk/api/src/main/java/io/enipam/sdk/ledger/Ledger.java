package io.enipam.sdk.ledger;

import io.enipam.sdk.Allocator;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Decision;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The host's rows for one part: effects that wait, and grants in force. A layer over the plugin's journal, whatever that is kept
 * in: an effect and a grant are rows of reserved tables, written by the very transaction that wants them. Thread-safe.
 *
 * <p>Effects are performed in the order of their commits where they have a token or a claim in common. Two transactions that
 * write effects of one token conflict, since each scans the token's rows; two for one claim conflict over the row of its grant. So
 * the revisions of the rows are that order, after a crash as well.
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
    private final List<Consumer<List<PendingEffect>>> followers = new CopyOnWriteArrayList<>();

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
                return committed(Optional.empty(), change);
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

    private <R> CompletionStage<R> committed(Optional<ClaimId> claim, Function<? super EffectTransaction, R> change) {
        record Outcome<R>(R result, List<PendingEffect> effects) {}
        return journal.commit(tx -> {
                    EffectTransaction with = new EffectTransaction(tx, claim);
                    R result = change.apply(with);
                    return new Outcome<>(result, with.effects);
                })
                .thenApply(outcome -> {
                    if (!outcome.effects().isEmpty()) {
                        followers.forEach(follower -> follower.accept(outcome.effects()));
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

    /** An effect is performed, or dropped: it does not wait any more. */
    public CompletionStage<Void> forget(PendingEffect effect) {
        return journal.update(tx -> tx.delete(EFFECTS, key(effect.id())));
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
        return this.committed(Optional.of(claim.id()), tx -> {
                    Optional<HeldGrant> held = tx.get(GRANTS, key).map(Row::value);
                    Optional<Grant> inForce = held.flatMap(HeldGrant::grant);
                    Decision decision = inForce.isPresent() ? inForce.get() : decided(claim, key, held, allocator, tx);
                    return new Decided(decision, !tx.effects.isEmpty());
                })
                .exceptionally(failure -> {
                    Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure;
                    if (cause instanceof Refused refused) {
                        return new Decided(refused.refusal, false);
                    }
                    throw new CompletionException(cause);
                });
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
        if (decision instanceof Decision.Refusal refusal) {
            throw new Refused(refusal);
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
        return committed(Optional.of(claim), tx -> {
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
        return committed(Optional.of(grant.claim()), tx -> {
            Optional<Grant> inForce = tx.get(GRANTS, key).map(Row::value).flatMap(HeldGrant::grant);
            boolean still = missing ? inForce.equals(Optional.of(grant)) : inForce.isEmpty();
            return still && allocator.repair(grant, missing, tx);
        });
    }

    private String key(String within) {
        return part + "/" + within;
    }

    /** Ends a transaction without a commit; carries the decision out of it. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Decision.Refusal refusal;

        Refused(Decision.Refusal refusal) {
            super(refusal.why(), null, false, false);
            this.refusal = refusal;
        }
    }

    /** A transaction of a part. For one thread. */
    private final class EffectTransaction implements Transaction {
        private final Transaction tx;
        private final Optional<ClaimId> claim;
        private final List<PendingEffect> effects = new ArrayList<>();

        EffectTransaction(Transaction tx, Optional<ClaimId> claim) {
            this.tx = tx;
            this.claim = claim;
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
            PendingEffect effect = new PendingEffect(handler, token, number, effects.size(), arguments, claim);
            tx.put(EFFECTS, key(effect.id()), effect);
            effects.add(effect);
        }

        private void require(String what, String text, String pattern) {
            if (!text.matches(pattern)) {
                throw new IllegalArgumentException("the effect's " + what + " does not match " + pattern);
            }
        }
    }
}
