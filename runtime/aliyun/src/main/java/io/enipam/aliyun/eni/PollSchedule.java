package io.enipam.aliyun.eni;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

/**
 * How often and how long to look. The first looks come quickly, so that a fast cloud gives a fast first address, and
 * stay below a second for as long as an attach usually takes (2 to 5 s); peers begin with 3 s, which is where this
 * ends.
 */
final class PollSchedule {
    /** After this without an answer in kind, the same may be asked again: an attach takes 2 to 5 s. */
    static final Duration OVERDUE = Duration.ofSeconds(10);
    /** After this a list of the cloud knows of a change; the metadata service is known to lag by up to 3 s. */
    static final Duration SETTLED = Duration.ofSeconds(5);
    /** How long changes are remembered: a reading of the cloud takes less, its waits for limits included. */
    static final Duration REMEMBERED = Duration.ofMinutes(5);
    /** After this an ENI on its way is called stuck. */
    static final Duration STUCK = Duration.ofSeconds(60);

    /** How often a lost ENI is tried to be attached again. */
    static final int REATTACHES = 6;
    /** An ENI that was attached again, and is taken off within this time, has that many tries in all. */
    static final Duration STAYS = Duration.ofMinutes(10);

    private static final Duration FIRST = Duration.ofMillis(100);
    private static final Duration USUAL = Duration.ofMillis(800);
    private static final Duration LONGEST = Duration.ofSeconds(3);
    /** Looks within the time that is usual: some 9 s in all. */
    private static final int USUAL_LOOKS = 14;

    private static final Duration STUCK_LOOK = Duration.ofSeconds(30);

    private PollSchedule() {}

    /** The pause before a further try to attach a lost ENI again, after so many in vain: 2 s, 4 s, and so on. */
    static Duration beforeReattach(int tries) {
        return Duration.ofSeconds(1L << tries);
    }

    /** @param look 0 for the first look after something was asked */
    static Duration before(int look, boolean stuck) {
        if (stuck) {
            return STUCK_LOOK;
        }
        return look >= USUAL_LOOKS ? LONGEST : Collections.min(List.of(FIRST.multipliedBy(1L << look), USUAL));
    }

    /**
     * How far the cloud's descriptions lag behind this node's own changes, as measured: the time from a change until a
     * description shows it. Guarded by the fleet's lock.
     *
     * <p>What a description does not show counts as missing only after this time, so that an old description removes
     * nothing. A change that no description has shown yet is the best sign of a lag that is not measured yet: it is
     * waited for up to {@link #MOST}.
     */
    static final class DescriptionLag {
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
            return Collections.min(List.of(Duration.ofNanos(nanos), MOST));
        }

        /** After this a description shows a change, a quarter of the lag as a margin included. */
        Duration settled() {
            Duration margin = Duration.ofNanos(nanos / 4 * 5);
            return Collections.min(List.of(Collections.max(List.of(margin, SETTLED)), MOST));
        }

        /** The same for a change that no description has shown yet. */
        Duration settledUnseen() {
            return known ? settled() : MOST;
        }
    }
}
