package io.enipam.sdk.testkit;

import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.sdk.ledger.PendingEffect.Cause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;

/** How the contracts of parts with tables and effects run these. */
final class PartRuns {
    private PartRuns() {}

    static <T> T get(CompletionStage<T> stage, Duration patience) {
        try {
            return stage.toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("a call failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("a call did not complete within " + patience, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** One of the effects that no other has to come before. */
    static Optional<PendingEffect> next(Ledger ledger, Random random) {
        Set<Object> before = new HashSet<>();
        List<PendingEffect> choice = new ArrayList<>();
        for (PendingEffect effect : ledger.effects()) {
            boolean first = before.add(effect.token());
            if ((effect.cause().equals(Cause.NONE) || before.add(effect.cause())) && first) {
                choice.add(effect);
            }
        }
        return choice.isEmpty() ? Optional.empty() : Optional.of(choice.get(random.nextInt(choice.size())));
    }

    /** What a function writes, and last what it answers, in a transaction that has no effect. */
    static List<String> dry(InMemoryJournal store, Function<Transaction, ?> function) {
        List<String> story = new ArrayList<>();
        store.read(tx -> story.add(String.valueOf(function.apply(new Noting(tx, story)))));
        return story;
    }

    /** Notes what is written, and writes nothing. */
    private record Noting(Transaction tx, List<String> story) implements Transaction {
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
            story.add("put " + table.name() + " " + key + " " + table.codec().write(value));
        }

        @Override
        public void delete(Table<?> table, String key) {
            story.add("delete " + table.name() + " " + key);
        }

        @Override
        public void effect(String handler, String token, String arguments) {
            story.add("effect " + handler + " " + token + " " + arguments);
        }

        @Override
        public void cast(String ballot, Claim claim) {
            story.add("cast " + ballot + " " + claim.id());
        }

        @Override
        public void withdraw(String ballot, ClaimId claim) {
            story.add("withdraw " + ballot + " " + claim);
        }
    }
}
