package io.enipam.store;

import io.enipam.store.RecordJson.DatabaseJson;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * When a database was made: this distinguishes its files from another's. Journal files have it in their header, and the
 * record that the database has of itself, which is in every checkpoint, has it as well. A file of another node, or of
 * the database that was here before, may follow the right commit and be sound in itself: only this reveals it.
 */
final class StoreIncarnation {
    private static final long NANOS = 1_000_000_000L;

    private final Map<Path, Long> journal = new LinkedHashMap<>();

    /** The instant as files have it: nanoseconds since 1970, never 0. */
    static long number(Instant made) {
        return Math.max(1, made.getEpochSecond() * NANOS + made.getNano());
    }

    static Instant instant(long number) {
        return Instant.ofEpochSecond(number / NANOS, number % NANOS);
    }

    /** Takes note of what a journal file says; 0 if it says nothing. */
    void says(Path file, long made) {
        if (made != 0) {
            journal.put(file, made);
        }
    }

    /**
     * When the database was made.
     *
     * @param view what checkpoint and journal give together
     * @param clock the time for a database whose process died before it had recorded one
     * @throws StoreException if a journal file says otherwise
     */
    long of(LiveView view, Clock clock) {
        long made = recorded(view.snapshot())
                .orElseGet(() -> journal.values().stream().findFirst().orElseGet(() -> number(clock.instant())));
        journal.forEach((file, other) -> {
            if (other != made) {
                throw StoreException.damaged(
                        file,
                        0,
                        "the journal file belongs to a database that was made at " + instant(other)
                                + ", this one was made at " + instant(made));
            }
        });
        return made;
    }

    /** When the database was made, if its records say so. */
    static Optional<Long> recorded(StoreSnapshot records) {
        return records.find(Bucket.META, DatabaseJson.KEY).map(record -> number(new RecordCodec().made(record)));
    }
}
