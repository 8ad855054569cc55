package io.enipam.frontends.rpc;

import com.google.protobuf.Timestamp;
import io.enipam.engine.port.TimeSource;
import io.enipam.frontends.grpc.GrpcFailures;
import java.time.Duration;
import java.time.Instant;

/** Time on the wire. */
final class ProtoTime {
    /** By the rules of protobuf. */
    private static final long MOST_SECONDS = 315_576_000_000L;

    private static final Duration LONGEST = Duration.ofDays(10_000);

    private ProtoTime() {}

    static Timestamp timestamp(Instant at) {
        return Timestamp.newBuilder()
                .setSeconds(at.getEpochSecond())
                .setNanos(at.getNano())
                .build();
    }

    static Instant instant(Timestamp at) {
        return Instant.ofEpochSecond(at.getSeconds(), at.getNanos());
    }

    static com.google.protobuf.Duration duration(Duration duration) {
        // protobuf wants seconds and nanos of one sign, java.time has nanos above zero
        boolean borrow = duration.getSeconds() < 0 && duration.getNano() > 0;
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(duration.getSeconds() + (borrow ? 1 : 0))
                .setNanos(duration.getNano() - (borrow ? 1_000_000_000 : 0))
                .build();
    }

    /** The time since {@code begun} by the clock that does not jump. */
    static com.google.protobuf.Duration since(TimeSource time, long begun) {
        return duration(Duration.ofNanos(time.nanoTime() - begun));
    }

    /**
     * A span of time before now.
     *
     * @throws io.enipam.engine.model.IpamException {@code INVALID_ARGUMENT} if it is below zero or above 10,000 days
     */
    static Duration span(com.google.protobuf.Duration asked) {
        Duration span = duration(asked);
        if (span.isNegative() || span.compareTo(LONGEST) > 0) {
            throw GrpcFailures.invalid("a span of " + span.toSeconds() + " s makes no sense", "as in: 10s, 5m or 2h");
        }
        return span;
    }

    /** @throws io.enipam.engine.model.IpamException {@code INVALID_ARGUMENT} if no duration of protobuf is like that */
    static Duration duration(com.google.protobuf.Duration duration) {
        long seconds = duration.getSeconds();
        long nanos = duration.getNanos();
        boolean mixed = Long.signum(seconds) * Long.signum(nanos) < 0;
        if (mixed
                || Math.abs(seconds) > MOST_SECONDS
                || Math.abs(nanos) >= 1_000_000_000
                || seconds == Long.MIN_VALUE) {
            throw GrpcFailures.invalid(
                    seconds + " s and " + nanos + " ns are no duration",
                    "both have one sign, and it is 10,000 years at most");
        }
        return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }
}
