package io.enipam.aliyun.client;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.util.Optional;

/** Where calls go over the wire: each call once, no longer than its caller has time. */
@FunctionalInterface
public interface EcsTransport {
    /** The APIs, for one attempt, which notes what the cloud called it. */
    EcsApi forAttempt(CallAttempt attempt);

    /** How far the cloud's clock is ahead, as in {@link EcsApi#clockAhead}. */
    default Optional<Duration> clockAhead() {
        return Optional.empty();
    }

    /** One attempt at a call: how long it may take, and what the cloud called it. It lives on its caller's thread. */
    public static final class CallAttempt {
        private final Deadline deadline;
        private String requestId = "";

        CallAttempt(Deadline deadline) {
            this.deadline = deadline;
        }

        /** The time that is left for it. */
        Duration left() {
            return deadline.left();
        }

        /** The cloud has answered; of a call that takes several requests, the last one's name stays. */
        void answered(String id) {
            requestId = id;
        }

        /** The cloud's name of it, or empty text. */
        String requestId() {
            return requestId;
        }
    }

    /** When a call has to be over, whatever it waits for. Thread-safe. */
    static final class Deadline {
        private final TimeSource time;
        private final long atNanos;

        private Deadline(TimeSource time, long atNanos) {
            this.time = time;
            this.atNanos = atNanos;
        }

        static Deadline in(Duration duration, TimeSource time) {
            return new Deadline(time, time.nanoTime() + duration.toNanos());
        }

        /** The time that is left, zero at least. */
        Duration left() {
            return Duration.ofNanos(Math.max(0, atNanos - time.nanoTime()));
        }

        /** Whether there is less left than this. */
        boolean nearerThan(Duration duration) {
            return left().compareTo(duration) <= 0;
        }
    }
}
