package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Keeps account of the watch: since when it is up, what was heard of it, how often it broke. The client opens a connection that
 * broke anew in silence, so it is looked at every few seconds. Thread-safe; {@code this} guards the fields.
 */
final class WatchTracker {
    /** A watch is opened anew every few minutes, which takes a second or two. */
    static final Duration MOMENT = Duration.ofSeconds(5);

    private final TimeSource time;

    @GuardedBy("this")
    private boolean up;

    @GuardedBy("this")
    private Instant since;

    @GuardedBy("this")
    private Optional<Moment> closed = Optional.empty();

    @GuardedBy("this")
    private Optional<Instant> last = Optional.empty();

    @GuardedBy("this")
    private long changes;

    @GuardedBy("this")
    private long breaks;

    /** A date for people, and the same by the clock that never jumps. */
    private record Moment(Instant date, long nanos) {}

    WatchTracker(TimeSource time) {
        this.time = time;
        since = time.now();
    }

    /** Something came. */
    synchronized void heard() {
        last = Optional.of(time.now());
        changes++;
        open();
    }

    /**
     * How the connection is at the moment.
     *
     * @return whether the watch counts as up
     */
    synchronized boolean update(boolean isOpen) {
        long now = time.nanoTime();
        if (isOpen) {
            open();
        } else if (closed.isEmpty()) {
            closed = Optional.of(new Moment(time.now(), now));
        } else if (up && now - closed.get().nanos() >= MOMENT.toNanos()) {
            up = false;
            since = closed.get().date();
            breaks++;
        }
        return up;
    }

    @GuardedBy("this")
    private void open() {
        closed = Optional.empty();
        if (!up) {
            up = true;
            since = time.now();
        }
    }

    synchronized WatchState state(boolean listed, int pods, String trouble) {
        return new WatchState(listed, up, since, last, changes, breaks, pods, up ? "" : trouble);
    }
}
