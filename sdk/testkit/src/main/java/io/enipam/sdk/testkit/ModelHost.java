package io.enipam.sdk.testkit;

import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Part;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.ledger.Ledger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A host of one part under test, which does one step after the other. Journal and directory outlive the part, as they outlive a process.
 * For one thread.
 */
class ModelHost<P extends Part> implements AutoCloseable {
    private final Class<P> kind;
    private final Supplier<Extension> extension;
    private final Consumer<TestContext.Builder> prepare;
    private final Path directory;
    private final Duration patience;
    private InMemoryJournal store = new InMemoryJournal();
    Ledger ledger;
    P part;

    /**
     * @param kind what the extension has to open
     * @param extension asked anew for each opening
     * @param prepare adds what the part needs to be lent besides
     * @param patience how long a call may take
     */
    ModelHost(
            Class<P> kind,
            Supplier<Extension> extension,
            Consumer<TestContext.Builder> prepare,
            Path directory,
            Duration patience) {
        this.kind = kind;
        this.extension = extension;
        this.prepare = prepare;
        this.directory = directory;
        this.patience = patience;
        open();
    }

    private void open() {
        TestClock clock = TestClock.running();
        ledger = new Ledger(store, "under-test", clock);
        TestContext.Builder host =
                TestContext.builder().clock(clock).directory(directory).journal(ledger.journal());
        prepare.accept(host);
        Part opened = extension.get().open(host.build());
        if (!kind.isInstance(opened)) {
            throw new AssertionError("the extension opened a part that is no " + kind.getSimpleName() + ": " + opened);
        }
        part = kind.cast(opened);
    }

    /** The process ends, and comes back with what is durable. */
    void crash() {
        part.close();
        store = store.reopened();
        open();
    }

    /** Has a function of the part run twice, as {@link #dry}: it has to answer the same and write the same. */
    void requireRepeatable(ContractRule rule, Supplier<List<String>> story) {
        List<String> first = story.get();
        List<String> again = story.get();
        rule.check(first.equals(again), () -> "first " + first + ", then " + again);
    }

    /** What a function writes, and last what it answers, in a transaction that has no effect. */
    List<String> dry(Function<Transaction, ?> function) {
        List<String> story = new ArrayList<>();
        RuntimeException undone = new RuntimeException("nothing of this is committed");
        CompletionStage<Object> committed = store.commit(tx -> {
            story.add(String.valueOf(function.apply(new Noting(tx, story))));
            throw undone;
        });
        try {
            committed.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            } else if (e.getCause() != undone && e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
        }
        return story;
    }

    <T> T get(CompletionStage<T> stage) {
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

    @Override
    public void close() {
        part.close();
    }

    /** Notes what is written; effects and claims are written nowhere else, as a part cannot read them. */
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
            tx.put(table, key, value);
        }

        @Override
        public void delete(Table<?> table, String key) {
            story.add("delete " + table.name() + " " + key);
            tx.delete(table, key);
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
