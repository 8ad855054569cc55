package io.enipam.engine.port;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The write-ahead journal of cloud operations: what is about to be asked of the cloud is durable before it is asked, so
 * that the next start knows what may have been done, or may yet be done by a call that is still on its way.
 * Thread-safe.
 *
 * <p>An operation is open from {@link #begin} to {@link #end}. Ends need not be waited for: an operation that is open
 * after a crash although it was over is looked at once more, which does no harm. What would do harm is an end that is
 * forgotten while life goes on, since a later start would then take away what meanwhile was made anew. Therefore an end
 * that has not become durable yet goes to the disk with the next begin, in the same commit.
 */
public interface CloudJournal {
    /**
     * Writes that an operation is about to be asked of the cloud.
     *
     * @return completes when that is durable, on any thread; completes exceptionally with {@link java.io.IOException}
     *     if it could not be written, and then the cloud must not be asked
     */
    CompletionStage<Void> begin(Entry entry);

    /** Writes that an operation's outcome is known; nothing happens if it is not open. */
    void end(String id);

    /** What is open: at start, what an earlier run has begun and not ended. Oldest first. */
    List<Entry> open();

    /** @param id its name, unique for all times, without control characters */
    record Entry(String id, Instant since, CloudOperation operation) {
        /**
         * Names an operation by what it does to what, and when.
         *
         * @param number distinguishes operations that one run begins at the same instant
         */
        public static Entry of(CloudOperation operation, Instant since, long number) {
            String id = operation.name() + "/" + operation.subject() + "/" + since + "-" + number;
            return new Entry(id, since, operation);
        }
    }
}
