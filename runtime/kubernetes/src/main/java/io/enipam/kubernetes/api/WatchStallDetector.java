package io.enipam.kubernetes.api;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Detects a stalled watch: no connection opens because an answer never ends, or an open connection delivers not
 * even the bookmarks that a server sends about once a minute, because a proxy has forgotten it. The caller guards
 * it.
 *
 * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks">API concepts: watch bookmarks</a>
 */
public final class WatchStallDetector {
    /** An answer may take half a minute, and retries of an absent server become ever more seldom. */
    static final Duration CLOSED = Duration.ofMinutes(2);

    /** Shorter than the interval between two sweeps, which rely on the watch's data. */
    static final Duration QUIET = Duration.ofMinutes(3);

    /** Ten thousand nodes whose connections the same proxy forgets must not reconnect in the same second. */
    private final double patience;

    private boolean begun;
    private boolean open;
    private @Nullable String version;
    private long since;

    public WatchStallDetector(RandomGenerator random) {
        patience = random.nextDouble(1, 1.3);
    }

    /**
     * Whether the stall has lasted too long; after true the caller restarts the watch and gets time for that.
     *
     * @param isOpen whether a connection is open
     * @param heard version of the last delivery, if any
     * @param nanos of a monotonic clock
     */
    public boolean isStalled(boolean isOpen, @Nullable String heard, long nanos) {
        if (!begun || isOpen != open || !Objects.equals(heard, version)) {
            begun = true;
            open = isOpen;
            version = heard;
            since = nanos;
            return false;
        }
        begun = nanos - since < (open ? QUIET : CLOSED).toNanos() * patience;
        return !begun;
    }
}
