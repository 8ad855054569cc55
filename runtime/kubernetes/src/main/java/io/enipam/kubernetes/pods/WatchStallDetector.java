package io.enipam.kubernetes.pods;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a watch is none any more: no connection comes to be, since an answer never ends; or one is open, and not even the
 * bookmarks come that a server sends about once a minute, since what is between has forgotten it. Guarded by who uses it.
 *
 * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks">API concepts: watch bookmarks</a>
 */
final class WatchStallDetector {
    /** An answer may take half a minute, and a server that is away is asked ever more seldom. */
    static final Duration CLOSED = Duration.ofMinutes(2);

    /** Shorter than the pause between two sweeps, which go by what the watch has heard. */
    static final Duration QUIET = Duration.ofMinutes(3);

    /** Ten thousand nodes that the same proxy forgets do not come back in the same second. */
    private final double patience;

    private boolean begun;
    private boolean open;
    private @Nullable String version;
    private long since;

    WatchStallDetector(RandomGenerator random) {
        patience = random.nextDouble(1, 1.3);
    }

    /**
     * Whether it has lasted too long; who hears yes is to begin anew, and is left time for that.
     *
     * @param isOpen whether a connection is open
     * @param heard version of what was heard last, if anything was
     * @param nanos of a clock that never jumps
     */
    boolean isStalled(boolean isOpen, @Nullable String heard, long nanos) {
        if (!begun || isOpen != open || !Objects.equals(heard, version)) {
            begun = true;
            open = isOpen;
            version = heard;
            since = nanos;
            return false;
        }
        boolean tooLong = nanos - since >= (open ? QUIET : CLOSED).toNanos() * patience;
        if (tooLong) {
            begun = false;
        }
        return tooLong;
    }
}
