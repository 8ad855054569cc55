package io.enipam.lab.trace;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The pods of one node over a while.
 *
 * @param origin where it comes from, one line
 * @param length from the trace's beginning to its end; no pod comes later
 * @param sandboxes in the order in which they come
 */
public record Trace(String origin, Duration length, List<Sandbox> sandboxes) {
    public Trace {
        sandboxes = List.copyOf(sandboxes);
    }

    /**
     * A pod's sandbox: an ADD, and a DEL later.
     *
     * @param at when its ADD comes, from the trace's beginning
     * @param pod NAMESPACE/NAME, or a hash in its place
     * @param lives from the answer of the ADD to the DEL; empty for one that is still there at the end
     * @param ownerKind such as {@code StatefulSet}; empty text where it is not known
     */
    public record Sandbox(Duration at, String pod, Optional<Duration> lives, String ownerKind) {}
}
