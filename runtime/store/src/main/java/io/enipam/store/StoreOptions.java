package io.enipam.store;

import java.time.Clock;

/**
 * The knobs of the database.
 *
 * @param journalBytes length of a journal file, 8 KiB to 1 GiB; a checkpoint follows each full file
 * @param queuedCommits how many commits may wait for the disk, 1 or more; further ones are refused
 * @param queuedBytes how many bytes these may be on disk, 4 KiB or more; a single larger commit may wait alone
 * @param clock the date the database was made on
 */
public record StoreOptions(int journalBytes, int queuedCommits, long queuedBytes, Clock clock) {
    private static final int FEWEST_BYTES = 4 << 10;
    private static final long QUEUED_BYTES = 16 << 20;
    private static final int SMALLEST = 8 << 10;
    private static final int LARGEST = 1 << 30;

    public StoreOptions {
        if (journalBytes < SMALLEST || journalBytes > LARGEST) {
            throw new IllegalArgumentException(
                    "journalBytes is " + journalBytes + ", " + SMALLEST + ".." + LARGEST + " is allowed");
        }
        if (queuedCommits < 1) {
            throw new IllegalArgumentException("queuedCommits is " + queuedCommits + ", 1 or more is allowed");
        }
        if (queuedBytes < FEWEST_BYTES) {
            throw new IllegalArgumentException(
                    "queuedBytes is " + queuedBytes + ", " + FEWEST_BYTES + " or more is allowed");
        }
    }

    /** At most 16 MiB of commits may wait. */
    public StoreOptions(int journalBytes, int queuedCommits, Clock clock) {
        this(journalBytes, queuedCommits, QUEUED_BYTES, clock);
    }

    /** Journal files of 16 MiB, 4096 waiting commits of 16 MiB at most, the system's clock. */
    public static StoreOptions defaults() {
        return new StoreOptions(16 << 20, 4096, Clock.systemUTC());
    }
}
