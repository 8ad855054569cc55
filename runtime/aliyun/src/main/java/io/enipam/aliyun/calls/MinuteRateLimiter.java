package io.enipam.aliyun.calls;

import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.ApiCallLog.CallPermission;
import io.enipam.aliyun.calls.ApiCallLog.ThrottlingOutcome;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * How often one API may be called in this minute of the clock. Not thread-safe: the log's lock guards it.
 *
 * <p><b>Why minutes of the clock.</b> The cloud counts in fixed minutes per account, region and API; what it throttles in a
 * minute it throttles until the minute's end. So the window here is the same minute, and after throttling the API is left
 * alone until the next one has begun.
 *
 * <p><b>What is learned.</b> The account's quota is not published and is shared by all its nodes. A throttled minute says
 * that as many calls as were made in it were too many: half of that is allowed from then on. Each minute without throttling
 * gives back a twentieth of the configured limit. A minute that cuts, cuts once, however many calls it throttled.
 *
 * <p><b>Clocks that differ.</b> A node whose clock is a little ahead of the cloud's comes back while the cloud is still in
 * the old minute. So the margin after the minute's end is random, to keep nodes apart, and its range doubles with each
 * throttling in a row, from one second up to half a minute; a call that is not throttled resets it. A clock that is set back
 * or forward begins a new window, and inhibitions run by the clock that does not jump.
 */
final class MinuteRateLimiter {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration LEAST_MARGIN = Duration.ofMillis(100);
    private static final Duration FIRST_MARGIN = Duration.ofSeconds(1);
    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(30);
    private static final int LEAST_SHARE = 50;
    private static final int STEP_SHARE = 20;

    private final TimeSource time;
    private final RandomGenerator random;
    private int limit;
    private int allowed;
    /** The minute of the clock, and how many there have been: the latter never goes back. */
    private long minute;

    private long window;
    /** What may still be granted in this window; another limit counts from the next one on. */
    private int permissions;

    private int granted;
    private int grantedBefore;
    private long cutWindow = -1;
    private int throttledInRow;
    private boolean inhibited;
    private long inhibitedUntilNanos;

    /** @param limit calls a minute, at least 1 */
    MinuteRateLimiter(int limit, TimeSource time, RandomGenerator random) {
        this.time = time;
        this.random = random;
        this.limit = limit;
        this.allowed = limit;
        this.minute = minuteOf(time.now());
        this.permissions = limit;
    }

    private static long minuteOf(Instant at) {
        return Math.floorDiv(at.getEpochSecond(), 60L);
    }

    CallPermission acquire() {
        roll();
        Duration inhibition = inhibition();
        if (!inhibition.isZero()) {
            return new CallPermission.Held(inhibition, "the cloud has throttled it");
        }
        if (permissions > 0) {
            permissions--;
            granted++;
            return new CallPermission.Granted(window);
        }
        String why = allowed == limit
                ? "this node's " + limit + " calls of this minute are used up"
                : "the " + allowed + " calls a minute that are left of this node's " + limit
                        + " after throttling are used up";
        return new CallPermission.Held(untilMinuteEnds().plus(margin(FIRST_MARGIN)), why);
    }

    ThrottlingOutcome recordThrottling(long in) {
        roll();
        boolean news = cutWindow != window;
        if (in != window) {
            // it was the minute before that was full; a new one has begun
            cut(Math.min(allowed, in == window - 1 ? grantedBefore : allowed));
            return new ThrottlingOutcome(inhibition(), news, allowed);
        }
        if (news) {
            throttledInRow++;
        }
        cut(Math.min(allowed, granted));
        long until = time.nanoTime() + untilMinuteEnds().plus(margin(widest())).toNanos();
        if (!inhibited || until - inhibitedUntilNanos > 0) {
            inhibited = true;
            inhibitedUntilNanos = until;
        }
        return new ThrottlingOutcome(inhibition(), news, allowed);
    }

    void recordServed(long in) {
        roll();
        if (in == window && cutWindow != window) {
            throttledInRow = 0;
        }
    }

    private void cut(int tooMany) {
        if (cutWindow != window) {
            cutWindow = window;
            allowed = Math.max(Math.max(1, limit / LEAST_SHARE), tooMany / 2);
        }
    }

    /** Begins a new window if another minute has come. */
    private void roll() {
        long now = minuteOf(time.now());
        if (now == minute) {
            return;
        }
        long passed = Math.max(1, now - minute);
        long quiet = cutWindow == window ? passed - 1 : passed;
        allowed = (int) Math.min(limit, allowed + quiet * Math.max(1, limit / STEP_SHARE));
        minute = now;
        permissions = allowed;
        window++;
        grantedBefore = granted;
        granted = 0;
    }

    private Duration widest() {
        Duration doubled = FIRST_MARGIN.multipliedBy(1L << Math.min(10, Math.max(0, throttledInRow - 1)));
        return Collections.min(List.of(doubled, LONGEST_MARGIN));
    }

    private Duration margin(Duration widest) {
        return LEAST_MARGIN.plusNanos((long) (random.nextDouble() * widest.toNanos()));
    }

    private Duration untilMinuteEnds() {
        // by the minute the decision is made in, even if the next one has begun meanwhile
        Duration left = Duration.between(time.now(), Instant.ofEpochSecond((minute + 1) * 60));
        // a clock that was set back since makes no minute longer
        return left.isNegative() ? Duration.ZERO : Collections.min(List.of(left, MINUTE));
    }

    /** How long the API is to be left alone; zero if it may be called. */
    Duration inhibition() {
        long left = inhibited ? inhibitedUntilNanos - time.nanoTime() : 0;
        inhibited = left > 0;
        return Duration.ofNanos(Math.max(0, left));
    }

    /**
     * Allows so many a minute from the next minute on, at least 1. What throttling has taught stays learned, as far as it is below
     * that.
     */
    void limit(int next) {
        roll();
        allowed = allowed == limit ? next : Math.min(allowed, next);
        limit = next;
    }

    ApiQuotaStatus.Quota quota() {
        roll();
        Optional<Instant> inhibited =
                Optional.of(inhibition()).filter(left -> !left.isZero()).map(time.now()::plus);
        Instant minuteEnds = Instant.ofEpochSecond((minute + 1) * 60);
        int left = inhibited.isPresent() ? 0 : permissions;
        return new ApiQuotaStatus.Quota(limit, allowed, granted, left, minuteEnds, inhibited);
    }
}
