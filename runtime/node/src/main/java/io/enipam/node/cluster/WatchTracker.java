package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Records the state of the watch: since when it is up, its last delivery, how often it broke. The client reopens a
 * broken connection without notice, so its state is polled every few seconds. Thread-safe; {@code this} guards the
 * fields.
 */
final class WatchTracker {
    /** A watch is reopened every few minutes, which takes a second or two. */
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

    /** A date for display, and the same moment by the monotonic clock. */
    private record Moment(Instant date, long nanos) {}

    WatchTracker(TimeSource time) {
        this.time = time;
        since = time.now();
    }

    /** The watch delivered something. */
    synchronized void heard() {
        last = Optional.of(time.now());
        changes++;
        open();
    }

    /**
     * Records the present state of the connection.
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
