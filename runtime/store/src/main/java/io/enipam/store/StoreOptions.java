package io.enipam.store;

import java.time.Clock;

/**
 * The knobs of the database.
 *
 * @param journalBytes length of a journal file, 8 KiB to 1 GiB; a checkpoint follows each full file
 * @param queuedCommits how many commits may wait for the disk, 1 or more; further callers wait for room
 * @param clock tells the date the database was made on
 */
public record StoreOptions(int journalBytes, int queuedCommits, Clock clock) {
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
    }

    /** Journal files of 16 MiB, 4096 waiting commits, the system's clock. */
    public static StoreOptions defaults() {
        return new StoreOptions(16 << 20, 4096, Clock.systemUTC());
    }
}
