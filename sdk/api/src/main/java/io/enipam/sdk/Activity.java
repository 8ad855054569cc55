package io.enipam.sdk;

import java.time.Duration;
import java.util.List;

/**
 * What happened in a pool in the last minutes, so that a policy can learn without remembering.
 *
 * <p>Time is cut into intervals of one length. The last interval is the running one and not over yet; before the
 * daemon's start nothing happened.
 *
 * @param interval how long an interval is, above zero
 * @param lent how many resources were lent in each interval, oldest first
 * @param returned how many were given back in each interval, oldest first; as many entries as {@code lent}
 * @param createTime how long a create took lately, from the request to the resource, smoothed; zero while unknown
 */
public record Activity(Duration interval, List<Integer> lent, List<Integer> returned, Duration createTime) {
    /** Nothing has happened yet. */
    public static final Activity NONE = new Activity(Duration.ofSeconds(10), List.of(), List.of(), Duration.ZERO);

    public Activity {
        lent = List.copyOf(lent);
        returned = List.copyOf(returned);
        if (interval.isZero() || interval.isNegative() || lent.size() != returned.size()) {
            throw new IllegalArgumentException("activity needs an interval above zero and two lists of one length, got "
                    + interval + ", " + lent.size() + ", " + returned.size());
        }
    }
}
