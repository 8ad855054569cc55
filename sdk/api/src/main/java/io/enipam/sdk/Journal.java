package io.enipam.sdk;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Durable tables of one plugin, which survive restarts of the plugin and of the daemon. What is in them is shown by
 * {@code db dump} and {@code db get}, checked by {@code db verify}, and part of backups and restores.
 *
 * <pre>{@code
 * private static final Table<Block> BLOCKS = new Table<>("blocks", 1, new BlockCodec());
 * ...
 * Journal journal = context.journal();
 * journal.open(BLOCKS);
 * CompletionStage<Block> stage = journal.commit(tx -> {
 *     Block free = firstFree(tx.scan(BLOCKS, ""));
 *     tx.put(BLOCKS, free.name(), free.takenBy(node));
 *     return free;
 * });
 * }</pre>
 *
 * <p><b>Isolation.</b> Transactions are serializable: each has the effect that it would have if all of them ran one after the
 * other. A transaction reads the last durable state, never a commit that is still on its way to the disk, and sees one
 * revision throughout.
 *
 * <p><b>Bounds.</b> A table's name is {@code [a-z][a-z0-9-]*} of at most 63 characters. A key has 1 to 512 characters without
 * control characters. Neither keys nor values have half a surrogate pair. A value is at most 256 Ki characters as its codec
 * writes it, and a transaction writes at most 1,000 rows and 1 Mi characters. A plugin's tables together hold at most 1,000,000
 * rows.
 *
 * <p><b>Thread-safety.</b> All methods may be called by any thread at any time.
 */
public interface Journal {
    /**
     * Declares a table, and checks that all of its rows can be read. Every other use of the table needs this once before; to
     * declare an equal one again has no effect.
     *
     * @throws JournalException {@link ErrorKind#MISCONFIGURED} if a row was written by a newer version of the table;
     *     {@link ErrorKind#INTERNAL} if the codec cannot read one, or the table was declared differently
     */
    void open(Table<?> table);

    /**
     * Runs a transaction and makes what it writes durable, all of it or nothing.
     *
     * <p>The function runs on the calling thread first. If rows that it read have changed until it is through, or are about to,
     * it runs again, on any thread: it therefore does nothing but read and write by the transaction, which is not valid
     * afterwards.
     *
     * @param change what to do; what it throws ends the transaction, which then has no effect
     * @return completes with the function's result when the commit is on the disk; if nothing was written, at once.
     *     Completes exceptionally with what the function threw, or with a {@link JournalException}:
     *     {@link ErrorKind#CONFLICT} if it ran 64 times and others were faster each time, {@link ErrorKind#QUOTA_EXHAUSTED} if it
     *     is beyond the bounds, {@link ErrorKind#UNAVAILABLE} if the disk did not take it or the journal is closed. After
     *     a crash that comes before any later commit, a commit that was reported as not written may be found. Where the tables
     *     are in etcd, {@link ErrorKind#DEADLINE_EXCEEDED} if it did not answer in time: whether the commit was written, or still
     *     will be, is not known then
     */
    <R> CompletionStage<R> commit(Function<Transaction, R> change);

    /** The same without a result. */
    default CompletionStage<Void> update(Consumer<Transaction> change) {
        return commit(tx -> {
                    change.accept(tx);
                    return true;
                })
                .thenAccept(done -> {});
    }

    /**
     * Reports the keys of a table's rows: of those that there are, then {@link Source.Sink#synced}, and from then on of those that a
     * commit adds, changes or deletes, whoever makes it. {@link Source#ofTable} is this for a controller.
     *
     * <p>A put of the value that the row has already is not reported. Keys come in the order of the commits. A key that changes again
     * before it is reported is reported once. When a key is reported, reads see its commit. What waits is bounded: a sink to which more
     * than some thousand keys are still to be reported gets those of the rows that differ from what it got last, ascending. {@link
     * Source.Sink#lost} ends the watch: what changed since the last key is not known then, as where etcd has discarded its history while
     * it could not be reached.
     *
     * @param sink called by one thread at a time, first by the calling one, until it has the rows that there are. What it throws
     *     ends the watch
     * @return to be closed by the caller, before its part is; what is being reported then may still come
     * @throws JournalException {@link ErrorKind#MISCONFIGURED} if the table was not opened; as {@link #read} besides
     * @implSpec reports the rows that there are, and nothing after that: for journals that were written before there were watches
     */
    default AutoCloseable watch(Table<?> table, Source.Sink sink) {
        List<String> keys = read(tx -> tx.scan(table, "").map(Row::key).toList());
        keys.forEach(sink::changed);
        sink.synced();
        return () -> {};
    }

    /**
     * Reads at one revision, on the calling thread.
     *
     * @param query only reads
     * @throws IllegalStateException if it writes
     */
    <R> R read(Function<Transaction, R> query);
}
