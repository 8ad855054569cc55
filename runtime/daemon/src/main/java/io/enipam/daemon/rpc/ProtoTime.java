package io.enipam.daemon.rpc;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;

/** Time on the wire. */
final class ProtoTime {
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

    static Duration duration(com.google.protobuf.Duration duration) {
        return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }
}
