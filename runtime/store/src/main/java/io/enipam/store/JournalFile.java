package io.enipam.store;

import java.nio.file.Path;

/**
 * A journal file, by its name and by the names beside it.
 *
 * <p>After a write that failed nobody knows what stands behind the last acknowledged commit, so the journal goes on in a new
 * file with a higher epoch, whose base is that commit. What an older epoch has above that base was reported as failed: it is
 * void, whatever it is.
 *
 * @param base the generation before its first frame
 * @param epoch 0 until a write has failed
 * @param limit the last generation that counts in it: {@link #NONE} in the newest epoch, else the base of the next one
 */
record JournalFile(Path path, long base, long epoch, long limit) {
    static final long NONE = Long.MAX_VALUE;

    /** Whether no frame of it counts: an attempt to go on that came to nothing. */
    boolean isVoid() {
        return limit <= base;
    }
}
