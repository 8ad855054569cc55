package io.enipam.kubernetes.api;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The requests to the API server and their answers: counts since the start, and the number in the last minute.
 * Thread-safe; {@code this} guards the fields. Bounded: after {@value #MOST} kinds further ones are counted as
 * {@value #OTHER}, and of a minute at most {@value #MOST_IN_A_MINUTE} requests are counted.
 */
public final class RequestStats implements RequestListener {
    static final int MOST = 256;
    static final int MOST_IN_A_MINUTE = 10_000;
    static final String OTHER = "other";
    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** The date in a header is truncated to the second. */
    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

    private final TimeSource time;

    @GuardedBy("this")
    private final Map<Key, Count> counts = new HashMap<>();

    /** When the latest requests ended, in nanoseconds, oldest first. */
    @GuardedBy("this")
    private final Deque<Long> lately = new ArrayDeque<>();

    @GuardedBy("this")
    private Optional<Duration> ahead = Optional.empty();

    private record Key(String request, int code) {}

    /**
     * Requests with the same kind of answer.
     *
     * @param request verb and resource: {@code GET pods}
     * @param code HTTP status, or 0 if no answer came
     * @param times since the start
     */
    public record Count(String request, int code, long times, Instant last) {
        /** Whether the server accepted the request; includes an opened watch. */
        public boolean served() {
            return code > 0 && code < 400;
        }
    }

    public RequestStats(TimeSource time) {
        this.time = time;
    }

    @Override
    public synchronized void onCompleted(String request, int code) {
        Instant now = time.now();
        Key sort = new Key(request, code);
        if (!counts.containsKey(sort) && counts.size() >= MOST) {
            sort = new Key(OTHER, 0);
        }
        counts.merge(
                sort,
                new Count(sort.request(), sort.code(), 1, now),
                (before, one) -> new Count(before.request(), before.code(), before.times() + 1, now));
        lately.addLast(time.nanoTime());
        if (lately.size() > MOST_IN_A_MINUTE) {
            lately.removeFirst();
        }
        forgetTheOld();
    }

    @Override
    public synchronized void onServerDate(Instant server) {
        ahead = Optional.of(Duration.between(time.now(), server.plus(HALF_A_SECOND)));
    }

    /** All counts, by request, then by code. */
    public synchronized List<Count> counts() {
        return counts.values().stream()
                .sorted(Comparator.comparing(Count::request).thenComparing(Count::code))
                .toList();
    }

    /** How many requests ended in the last minute. */
    public synchronized int lastMinute() {
        forgetTheOld();
        return lately.size();
    }

    /** How far the server's clock was ahead at its last answer, to about a second; empty if the answer gave no time. */
    public synchronized Optional<Duration> clockAhead() {
        return ahead;
    }

    @GuardedBy("this")
    private void forgetTheOld() {
        long now = time.nanoTime();
        while (!lately.isEmpty() && now - lately.peekFirst() >= MINUTE.toNanos()) {
            lately.removeFirst();
        }
    }
}
