package io.enipam.examples.resilient;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/**
 * The daemon's clock without its steps back. When the node's time is set back by an hour, a token bucket that goes by
 * the plain clock gives nothing for that hour, and an open breaker stays open. This one stands still for the step and goes on
 * from there. Thread-safe.
 */
final class MonotonicClock extends Clock {
    private final Clock base;
    private Instant last;
    private Duration behind = Duration.ZERO;

    MonotonicClock(Clock base) {
        this.base = base;
        this.last = base.instant();
    }

    @Override
    public synchronized Instant instant() {
        Instant now = base.instant().plus(behind);
        if (now.isBefore(last)) {
            behind = behind.plus(Duration.between(now, last));
            return last;
        }
        last = now;
        return now;
    }

    @Override
    public ZoneId getZone() {
        return base.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new MonotonicClock(base.withZone(zone));
    }
}
