package io.enipam.store.tables;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.tables.OpenedTables;
import io.enipam.engine.tables.TableTransaction;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalBounds;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.store.tables.PluginTables.Attempt;
import io.enipam.store.tables.PluginTables.Committed;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** The tables of one plugin: declares them, and runs its transactions until one attempt does not conflict. Thread-safe. */
final class PluginJournal implements Journal {
    private final PluginTables tables;
    private final String plugin;
    private final Executor threads;
    private final OpenedTables opened;

    PluginJournal(PluginTables tables, String plugin, Executor threads) {
        this.tables = tables;
        this.plugin = plugin;
        this.threads = threads;
        this.opened = new OpenedTables(plugin);
    }

    @Override
    public void open(Table<?> table) {
        opened.open(table, tables.committed());
    }

    @Override
    public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
        return attempt(change, 1).minimalCompletionStage();
    }

    private <R> CompletableFuture<R> attempt(Function<Transaction, R> change, int number) {
        try {
            Committed seen = tables.committed();
            TableTransaction transaction = new TableTransaction(seen, opened, false);
            R result = transaction.run(change);
            if (transaction.writesNothing()) {
                return CompletableFuture.completedFuture(result);
            }
            Attempt attempt = tables.attempt(transaction, seen, plugin);
            if (attempt instanceof Attempt.Begun begun) {
                return begun.durable()
                        .handleAsync((durable, failure) -> ended(result, failure), threads)
                        .toCompletableFuture();
            } else if (number == JournalBounds.MOST_ATTEMPTS) {
                return CompletableFuture.failedFuture(new JournalException(
                        ErrorKind.CONFLICT,
                        "the transaction ran " + number
                                + " times, and others changed what it reads each time: read less"));
            }
            return ((Attempt.Conflict) attempt)
                    .over()
                    .handleAsync((over, failure) -> number + 1, threads)
                    .thenCompose(next -> attempt(change, next))
                    .toCompletableFuture();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <R> R ended(R result, Throwable failure) {
        if (failure != null) {
            Throwable cause = Stages.cause(failure);
            throw new JournalException(
                    ErrorKind.UNAVAILABLE,
                    "the tables of plugin " + plugin + " cannot be written: " + cause.getMessage(),
                    cause);
        }
        return result;
    }

    @Override
    public AutoCloseable watch(Table<?> table, Source.Sink sink) {
        return tables.watch(opened.required(table), sink, threads);
    }

    @Override
    public <R> R read(Function<Transaction, R> query) {
        return new TableTransaction(tables.committed(), opened, true).run(query);
    }
}
