package io.enipam.observability.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.TimeSource;
import io.enipam.observability.history.Sample.CallCount;
import io.enipam.observability.history.Sample.CallTimes;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Counts calls of one kind: successes, failures by code, and durations.
 *
 * <p>Thread-safe. Counting uses adders and a wait-free recorder, never a lock; {@code this} guards what a reader takes
 * out, so one reader at a time ends an interval.
 */
public final class CallMeter {
    /** An hour: longer durations are counted as an hour. */
    private static final long LONGEST_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    /** Two digits: a quantile is accurate to one percent. */
    private static final int DIGITS = 2;

    private final TimeSource time;
    private final Function<Throwable, String> codeOf;
    private final LongAdder begun = new LongAdder();
    private final LongAdder done = new LongAdder();
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    private final LatencyHistogram workedIn = new LatencyHistogram(Meters.BOUNDS);
    private final LatencyHistogram failedIn = new LatencyHistogram(Meters.BOUNDS);
    private final Recorder recorder = new Recorder(LONGEST_MICROS, DIGITS);
    /** All finished intervals. */
    @GuardedBy("this")
    private final Histogram whole = new Histogram(LONGEST_MICROS, DIGITS);

    /** The running interval, as far as it was taken out of the recorder. */
    @GuardedBy("this")
    private final Histogram running = new Histogram(LONGEST_MICROS, DIGITS);

    @GuardedBy("this")
    private final Histogram taken = new Histogram(LONGEST_MICROS, DIGITS);

    @GuardedBy("this")
    private CallCount last = CallCount.NONE;

    /** @param codeOf the code under which a failure is counted: from a small, fixed set */
    CallMeter(TimeSource time, Function<Throwable, String> codeOf) {
        this.time = time;
        this.codeOf = codeOf;
    }

    /** Makes a call, and counts it when its stage completes. */
    public <T, S extends CompletionStage<T>> S measured(Supplier<S> call) {
        long from = time.nanoTime();
        begun.increment();
        S stage;
        try {
            stage = call.get();
        } catch (RuntimeException | Error e) {
            failed(from, e);
            throw e;
        }
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                worked(from);
            } else {
                failed(from, Stages.cause(failure));
            }
        });
        return stage;
    }

    private void worked(long from) {
        record(from, workedIn);
        done.increment();
    }

    private void failed(long from, Throwable failure) {
        record(from, failedIn);
        failures.computeIfAbsent(codeOf.apply(failure), code -> new LongAdder()).increment();
    }

    private void record(long from, LatencyHistogram timing) {
        long nanos = time.nanoTime() - from;
        timing.add(nanos);
        long micros = nanos / 1_000;
        recorder.recordValue(Math.max(0, Math.min(LONGEST_MICROS, micros)));
    }

    /** Whether there was any call, be it over or not. */
    public boolean hasBegun() {
        return begun.sum() > 0;
    }

    public LatencySnapshot worked() {
        return workedIn.snapshot();
    }

    public LatencySnapshot failed() {
        return failedIn.snapshot();
    }

    /** Ends an interval and returns its counts. */
    synchronized CallCount interval() {
        take();
        whole.add(running);
        CallCount total = count(CallTimes.of(whole));
        CallCount interval = total.since(last, CallTimes.of(running));
        last = total;
        running.reset();
        return interval;
    }

    /** All counts since the beginning, the running interval included. */
    synchronized CallCount total() {
        take();
        Histogram all = whole.copy();
        all.add(running);
        return count(CallTimes.of(all));
    }

    /** The recorder returns its values only once. */
    @GuardedBy("this")
    private void take() {
        recorder.getIntervalHistogramInto(taken);
        running.add(taken);
    }

    private CallCount count(Optional<CallTimes> times) {
        Map<String, Long> byCode = new TreeMap<>();
        failures.forEach((code, count) -> byCode.put(code, count.sum()));
        long worked = done.sum();
        long failed = byCode.values().stream().mapToLong(Long::longValue).sum();
        // read last: a call that ends meanwhile still counts as in flight, and the number is never negative
        long open = Math.max(0, begun.sum() - worked - failed);
        return new CallCount(worked, byCode, times, open);
    }
}
