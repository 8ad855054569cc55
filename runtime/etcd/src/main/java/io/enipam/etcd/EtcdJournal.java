package io.enipam.etcd;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.tables.OpenedTables;
import io.enipam.engine.tables.TableTransaction;
import io.enipam.etcd.CommitLanes.Outcome;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalBounds;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The tables of one plugin in etcd. A transaction reads at one revision, and is committed by one transaction of etcd that
 * compares what was read; if that has changed, it runs again after a pause. Thread-safe.
 */
final class EtcdJournal implements Journal {
    private static final Backoff PAUSES =
            Backoff.doubling(Duration.ofMillis(2), Duration.ofMillis(200)).jittered(0, 1);
    /** The part of the rows that are still allowed which this client adds before it counts them again. */
    private static final int PART = 16;

    private final EtcdJournals journals;
    private final String plugin;
    private final Executor threads;
    private final long mostRows;
    private final OpenedTables opened;
    private long allowed; // by this: rows that may be added before they are counted again

    EtcdJournal(EtcdJournals journals, String plugin, Executor threads, long mostRows) {
        this.journals = journals;
        this.plugin = plugin;
        this.threads = threads;
        this.mostRows = mostRows;
        this.opened = new OpenedTables(plugin);
    }

    EtcdJournal(EtcdJournals journals, String plugin, Executor threads) {
        this(journals, plugin, threads, JournalBounds.MOST_ROWS);
    }

    @Override
    public void open(Table<?> table) {
        readRows(seen -> {
            opened.open(table, seen);
            return true;
        });
    }

    @Override
    public <R> R read(Function<Transaction, R> query) {
        return readRows(seen -> new TableTransaction(seen, opened, true).run(query));
    }

    @Override
    public AutoCloseable watch(Table<?> table, Source.Sink sink) {
        record Listed(List<String> keys, long revision) {}
        String path = opened.required(table);
        Listed listed = readRows(seen -> {
            List<String> keys = seen.under(path).map(TableRow::key).toList();
            return new Listed(keys, seen.revision());
        });
        listed.keys().forEach(sink::changed);
        sink.synced();
        return journals.watch(path, listed.revision() + 1, sink, threads);
    }

    /** Reads anew as long as the history is compacted under it, whatever came of it then. */
    private <R> R readRows(Function<EtcdRows, R> reading) {
        for (int number = 1; number <= JournalBounds.MOST_ATTEMPTS; number++) {
            EtcdRows seen = journals.rows();
            try {
                R result = reading.apply(seen);
                if (!seen.isCompacted()) {
                    return result;
                }
            } catch (RuntimeException | Error e) {
                if (!seen.isCompacted()) {
                    throw e;
                }
            }
        }
        throw givenUp("the history was compacted each time");
    }

    // ---- commits

    /** One run of a function, and what it has read and written. */
    private record Run<R>(EtcdRows seen, TableTransaction transaction, R result) {}

    private <R> Run<R> run(Function<Transaction, R> change) {
        return readRows(seen -> {
            TableTransaction transaction = new TableTransaction(seen, opened, false);
            R result = transaction.run(change);
            return new Run<>(seen, transaction, result);
        });
    }

    @Override
    public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
        return attempt(change, 1).minimalCompletionStage();
    }

    private <R> CompletableFuture<R> attempt(Function<Transaction, R> change, int number) {
        try {
            Run<R> run = run(change);
            if (run.transaction().writesNothing()) {
                return CompletableFuture.completedFuture(run.result());
            }
            return makeRoom(run.transaction().added())
                    .thenCompose(room -> journals.commit(request(run)))
                    .handleAsync((outcome, failure) -> ended(change, number, run, outcome, failure), threads)
                    .thenCompose(Function.identity());
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CommitRequest request(Run<?> run) {
        return CommitRequest.of(journals.keys(), plugin, run.seen(), run.transaction());
    }

    private <R> CompletableFuture<R> ended(
            Function<Transaction, R> change, int number, Run<R> run, Outcome outcome, Throwable failure) {
        if (failure != null) {
            return CompletableFuture.failedFuture(Stages.cause(failure));
        } else if (outcome == Outcome.DONE) {
            return CompletableFuture.completedFuture(run.result());
        } else if (number == JournalBounds.MOST_ATTEMPTS) {
            return CompletableFuture.failedFuture(givenUp("others changed what it reads each time"));
        }
        return journals.pause(PAUSES, number)
                .thenApplyAsync(over -> number + 1, threads)
                .thenCompose(next -> attempt(change, next));
    }

    private static JournalException givenUp(String why) {
        return new JournalException(
                ErrorKind.CONFLICT,
                "the transaction ran " + JournalBounds.MOST_ATTEMPTS + " times, and " + why + ": read less");
    }

    // ---- the bound of rows

    /**
     * Counts the plugin's rows, unless few enough were added since it did. Other clients add rows, too: with sixteen of them the
     * bound still holds.
     */
    private CompletableFuture<Void> makeRoom(int added) {
        synchronized (this) {
            allowed -= added;
            if (added == 0 || allowed >= 0) {
                return CompletableFuture.completedFuture(null);
            }
        }
        RangeRequest count = RangeRequest.newBuilder()
                .setKey(journals.keys().rows(plugin + "/"))
                .setRangeEnd(EtcdKeys.end(journals.keys().rows(plugin + "/")))
                .setCountOnly(true)
                .build();
        return journals.client().call(KVGrpc.getRangeMethod(), count).thenAccept(answer -> {
            long rows = answer.response().getCount();
            if (rows + added > mostRows) {
                throw new JournalException(
                        ErrorKind.QUOTA_EXHAUSTED,
                        "the tables of plugin " + plugin + " have " + rows + " rows, and " + mostRows
                                + " are allowed: delete what is not needed any more");
            }
            synchronized (this) {
                allowed = (mostRows - rows - added) / PART;
            }
        });
    }
}
