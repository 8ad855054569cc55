package io.enipam.sdk.ledger;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A journal as a plugin gets it: without the host's tables, and without effects. Thread-safe. */
record PartJournal(Journal journal) implements Journal {
    @Override
    public void open(Table<?> table) {
        if (table.name().startsWith(Ledger.RESERVED)) {
            throw new JournalException(
                    ErrorKind.MISCONFIGURED,
                    "table " + table.name() + " is the host's: names that begin with " + Ledger.RESERVED
                            + " are reserved");
        }
        journal.open(table);
    }

    @Override
    public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
        return journal.commit(change);
    }

    @Override
    public AutoCloseable watch(Table<?> table, Source.Sink sink) {
        return journal.watch(table, sink);
    }

    @Override
    public <R> R read(Function<Transaction, R> query) {
        return journal.read(query);
    }
}
