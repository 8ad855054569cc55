package io.enipam.sdk.testkit;

import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a function decides and writes in a transaction that has no effect. For one thread. */
final class DryRun implements Transaction {
    private final Transaction tx;
    private final List<String> story = new ArrayList<>();

    private DryRun(Transaction tx) {
        this.tx = tx;
    }

    /** What it writes, a line each, and then what it answers. */
    static List<String> of(Journal journal, Function<Transaction, ?> decision) {
        return journal.read(tx -> {
            DryRun run = new DryRun(tx);
            String answer = String.valueOf(decision.apply(run));
            run.story.add(answer);
            return run.story;
        });
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
