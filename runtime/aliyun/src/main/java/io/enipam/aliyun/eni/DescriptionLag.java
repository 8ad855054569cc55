package io.enipam.aliyun.eni;

import java.time.Duration;

/**
 * How far the cloud's descriptions lag behind this node's own changes, as measured: the time from a change until a description
 * shows it. Guarded by the fleet's lock.
 *
 * <p>What a description does not show is judged only after this time, so that a description of the past takes nothing away. A
 * change that no description has shown yet is the best sign of a lag that is not measured yet: it is waited for up to {@link
 * #MOST}.
 */
final class DescriptionLag {
    /** No lag beyond this is waited for. */
    static final Duration MOST = Duration.ofMinutes(2);

    private static final Duration REMEMBERED = Duration.ofMinutes(10);

    private boolean known;
    private long nanos;
    private long measuredAt;

    /** A description has shown a change so long after it was made. The longest of the last minutes counts. */
    void measured(long lag, long now) {
        if (!known || lag >= nanos || now - measuredAt >= REMEMBERED.toNanos()) {
            nanos = Math.max(0, lag);
            measuredAt = now;
            known = true;
        }
    }

    /** What was measured, at most {@link #MOST}; zero before anything was. */
    Duration measured() {
        return least(Duration.ofNanos(nanos), MOST);
    }

    /** After this a description shows a change, a quarter of the lag as a margin included. */
    Duration settled() {
        Duration margin = Duration.ofNanos(nanos / 4 * 5);
        return least(margin.compareTo(PollSchedule.SETTLED) > 0 ? margin : PollSchedule.SETTLED, MOST);
    }

    /** The same for a change that no description has shown yet. */
    Duration settledUnseen() {
        return known ? settled() : MOST;
    }

    private static Duration least(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
