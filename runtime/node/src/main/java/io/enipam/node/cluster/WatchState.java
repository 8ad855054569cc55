package io.enipam.node.cluster;

import java.time.Instant;
import java.util.Optional;

/**
 * How the watch on this node's pods fares.
 *
 * @param listed whether the pods were listed once: before, nobody knows which there are
 * @param up whether changes are heard. A connection that is opened anew every few minutes does not count as down
 * @param since since when it is up, or is not
 * @param last when anything was heard last: a list, or a change of a pod
 * @param changes how many times anything was heard since the start
 * @param breaks how often it went down since the start
 * @param pods how many pods are known
 * @param trouble why it is down, for a person; empty text if it is up
 */
public record WatchState(
        boolean listed,
        boolean up,
        Instant since,
        Optional<Instant> last,
        long changes,
        long breaks,
        int pods,
        String trouble) {
    /** Whether what is known of the pods is what the API server says now. */
    public boolean heard() {
        return listed && up;
    }
}
