package io.enipam.observability.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The ADDs that failed since the last success, and whether they show that pods do not start on this node. Thread-safe;
 * {@code this} guards the list.
 *
 * <p>The criterion is several failures, of several pods, over a minute: one pod with a wrong manifest does not concern
 * the node, and a cloud outage of seconds is no reason for a runtime to stop ADDs. The result lapses two minutes after
 * the last failure, since a runtime that heeds STATUS sends no ADD whose success could clear it.
 */
public final class FailedAdds {
    /** The least number of failures. */
    static final int ENOUGH = 5;

    /** The least number of pods. */
    static final int PODS = 2;

    /** The least time for which they have failed. */
    static final Duration LONG = Duration.ofMinutes(1);

    /** The greatest age of the last failure. */
    static final Duration RECENT = Duration.ofMinutes(2);

    private static final int KEPT = 100;

    /** Errors of the call and not of the node. */
    private static final Set<ErrorCode> OF_CALLS = EnumSet.of(
            ErrorCode.INVALID_ARGUMENT,
            ErrorCode.NOT_FOUND,
            ErrorCode.POD_GONE,
            ErrorCode.NOT_AGREED,
            ErrorCode.PERMISSION_DENIED);

    private final TimeSource time;

    @GuardedBy("this")
    private final Deque<Failure> failures = new ArrayDeque<>();

    private record Failure(long nanos, Connector connector, PodRef pod, ErrorCode code, String message) {}

    FailedAdds(TimeSource time) {
        this.time = time;
    }

    /** Records the end of an ADD; a simulated ADD proves nothing about real ones. */
    synchronized void ended(AddCommand command, Optional<Throwable> failure) {
        Connector connector = command.link().connector();
        if (failure.isEmpty()) {
            failures.removeIf(known -> known.connector() == connector);
            return;
        }
        Throwable cause = Stages.cause(failure.get());
        ErrorCode code = cause instanceof IpamException refusal ? refusal.code() : ErrorCode.INTERNAL;
        if (OF_CALLS.contains(code)) {
            return;
        }
        forget();
        if (failures.size() == KEPT) {
            // the first one gives the start
            Failure first = failures.removeFirst();
            failures.removeFirst();
            failures.addFirst(first);
        }
        failures.addLast(
                new Failure(time.nanoTime(), connector, command.pod(), code, String.valueOf(cause.getMessage())));
    }

    /** Discards the failures so far: they had another cause, which is reported and ends by itself. */
    public synchronized void explained() {
        failures.clear();
    }

    /** Old failures without a recent one do not form a series. */
    @GuardedBy("this")
    private void forget() {
        if (!failures.isEmpty() && time.nanoTime() - failures.getLast().nanos() >= RECENT.toNanos()) {
            failures.clear();
        }
    }

    /** Since when, how often and why ADDs fail, if the criterion is met; otherwise empty. */
    public synchronized Optional<String> lasting() {
        forget();
        long now = time.nanoTime();
        if (failures.size() < ENOUGH
                || now - failures.getFirst().nanos() < LONG.toNanos()
                || failures.stream().map(Failure::pod).distinct().count() < PODS) {
            return Optional.empty();
        }
        Map<ErrorCode, Long> counts = failures.stream()
                .map(Failure::code)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        ErrorCode most = counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        String example = failures.stream()
                .filter(failure -> failure.code() == most)
                .reduce((first, second) -> second)
                .map(Failure::message)
                .orElseThrow();
        long seconds = Duration.ofNanos(now - failures.getFirst().nanos()).toSeconds();
        return Optional.of("every ADD of the last " + seconds + " s failed, " + failures.size()
                + " in a row, most with " + most + ": " + example);
    }
}
