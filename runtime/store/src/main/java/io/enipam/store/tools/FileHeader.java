package io.enipam.store.tools;

import java.time.Instant;
import java.util.Optional;

/**
 * What a file says of itself in its first line.
 *
 * @param kind what made it
 * @param node whose records it holds
 * @param snapshot when a backup was taken, and of which commit; empty of an export, whose bytes depend on the records alone
 */
public record FileHeader(Kind kind, NodeName node, Optional<Moment> snapshot) {
    /** What a file was made by. */
    public enum Kind {
        BACKUP,
        EXPORT
    }

    /**
     * The moment between two commits that a backup shows.
     *
     * @param taken by the clock of the node
     * @param generation the number of the last commit in it
     */
    public record Moment(Instant taken, long generation) {}
}
