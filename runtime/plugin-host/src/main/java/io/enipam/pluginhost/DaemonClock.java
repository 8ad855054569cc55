package io.enipam.pluginhost;

import io.enipam.engine.port.TimeSource;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The daemon's time as the JDK's clock. */
final class DaemonClock extends Clock {
    private final TimeSource time;
    private final ZoneId zone;

    DaemonClock(TimeSource time) {
        this(time, ZoneOffset.UTC);
    }

    private DaemonClock(TimeSource time, ZoneId zone) {
        this.time = time;
        this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new DaemonClock(time, other);
    }

    @Override
    public Instant instant() {
        return time.now();
    }
}
