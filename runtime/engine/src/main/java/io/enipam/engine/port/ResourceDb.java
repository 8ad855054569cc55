package io.enipam.engine.port;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.model.TableRow;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The resource database: leases, holds, intentions, open cloud operations, and copies of pods, durable. Thread-safe.
 *
 * <p>Commits are applied in the order of the calls. A commit is atomic: after a crash either all of its changes are
 * there or none.
 */
public interface ResourceDb extends AutoCloseable {
    /** All that is in the database now. Taken at one moment between two commits. */
    Contents contents();

    /** The operations of {@link #contents()} alone, for less where the rest is long. */
    default List<CloudJournal.Entry> operations() {
        return contents().operations();
    }

    /** The rows of all plugins' tables now, by {@link TableRow#path()}. */
    List<TableRow> rows();

    /**
     * Makes changes durable. Returns at once.
     *
     * @param changes 1 or more, applied together
     * @param span the step of a trace that all of it is part of: it gets the steps {@code QUEUE} until the disk's turn
     *     and {@code FSYNC} until it is durable, and is ended by the caller
     * @return completes when the changes are on disk, on a thread of the database's; completes exceptionally with
     *     {@link java.io.IOException} if they could not be written, and then none of them is applied: {@link
     *     DbBusyException} if too many wait, and this one was not even begun. After a crash that comes before any later
     *     commit was made durable, changes that were reported as not written may be found
     */
    CompletionStage<Void> commit(List<Change> changes, Span span);

    default CompletionStage<Void> commit(List<Change> changes) {
        return commit(changes, Span.NONE);
    }

    /**
     * Why nothing can be made durable now, or soon will not be: the disk is full, read-only, or fails. The database
     * recovers by itself; until then commits may fail. Empty if all is well.
     */
    default Optional<DbTrouble> trouble() {
        return Optional.empty();
    }

    /**
     * Calls the watcher when trouble comes, with its cause, and when it has gone, with nothing; at once if there is
     * trouble now. The watcher may get the same state twice.
     *
     * @param watcher called on a thread of the database's, in order; does not block
     */
    default void watch(Consumer<Optional<DbTrouble>> watcher) {}

    /** The same contents as raw records, ordered by bucket and key: what an operator looks at. */
    List<RawRecord> records();

    /** Writes what was accepted, then closes the files. Later commits fail. */
    @Override
    void close();

    /**
     * @param bucket {@code leases}, {@code reservations}, {@code quarantine}, {@code intents}, {@code operations},
     *     {@code pods} or {@code tables}
     * @param key unique within the bucket
     * @param json the record, JSON text in one line
     */
    record RawRecord(String bucket, String key, String json) {}

    /**
     * @param leases by owner, in no particular order
     * @param operations of the cloud that were begun and are not known to be over, in no particular order
     * @param pods the copies of pods, by namespace and name
     * @param node whose database it is; empty in one that no start-up has written to
     */
    record Contents(
            List<Lease> leases,
            List<Hold> holds,
            List<Intent> intents,
            List<CloudJournal.Entry> operations,
            List<PodCopy> pods,
            Optional<NodeRecord> node) {
        public Contents {
            leases = List.copyOf(leases);
            holds = List.copyOf(holds);
            intents = List.copyOf(intents);
            operations = List.copyOf(operations);
            pods = List.copyOf(pods);
        }
    }

    /**
     * Why a database cannot make anything durable, or soon cannot.
     *
     * @param cause what failed and where, one line for an operator
     */
    public record DbTrouble(String cause, Instant since) {}

    /** Too many commits wait for the disk. Nothing was written of this one; the same one may be taken in a moment. */
    public static final class DbBusyException extends IOException {
        private static final long serialVersionUID = 1L;

        public DbBusyException(String message) {
            super(message);
        }
    }

    /**
     * A cloud operation that was begun and whose end is not yet on disk.
     *
     * @param token the operation's name: the request token of a create, the resource id of a dispose
     * @param factory the name of the factory that is asked; empty where an older program wrote the intent
     */
    public record Intent(String token, Action action, Instant since, String factory) {
        public static Intent dispose(ResourceKey resource, Instant since) {
            return new Intent(resource.id().value(), Action.DISPOSE, since, resource.factory());
        }

        /** Unique in the database: the token of a create, {@link ResourceKey#path()} of a dispose. */
        public String key() {
            return action == Action.CREATE ? token : factory + "/" + token;
        }

        /** Whether it is a disposal of this resource, or may be: one that does not say of which factory's, of each of the id. */
        public boolean disposes(ResourceKey resource) {
            return action == Action.DISPOSE
                    && token.equals(resource.id().value())
                    && (factory.isEmpty() || factory.equals(resource.factory()));
        }

        public enum Action {
            CREATE,
            DISPOSE
        }
    }
}
