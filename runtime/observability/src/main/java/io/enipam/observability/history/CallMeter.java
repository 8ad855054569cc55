package io.enipam.observability.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.TimeSource;
import io.enipam.observability.history.Meters.CallTiming;
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
 * Counts calls of one kind: how many ended well, how many failed with which code, how long they took.
 *
 * <p>Thread-safe. Who is counted meets adders and a wait-free recorder, never a lock; {@code this} guards what a reader
 * takes out, so one reader at a time ends an interval.
 */
public final class CallMeter {
    /** An hour: nothing here takes longer, and what does is counted as an hour. */
    private static final long LONGEST_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    /** Two digits: a quantile is right to one percent. */
    private static final int DIGITS = 2;

    private final TimeSource time;
    private final Function<Throwable, String> codeOf;
    private final LongAdder begun = new LongAdder();
    private final LongAdder done = new LongAdder();
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    private final LatencyHistogram workedIn = new LatencyHistogram(Meters.BOUNDS);
    private final LatencyHistogram failedIn = new LatencyHistogram(Meters.BOUNDS);
    private final Recorder recorder = new Recorder(LONGEST_MICROS, DIGITS);
    /** All intervals that are over. */
    @GuardedBy("this")
    private final Histogram whole = new Histogram(LONGEST_MICROS, DIGITS);

    /** What the running interval has so far, as far as it was taken out of the recorder. */
    @GuardedBy("this")
    private final Histogram running = new Histogram(LONGEST_MICROS, DIGITS);

    @GuardedBy("this")
    private final Histogram taken = new Histogram(LONGEST_MICROS, DIGITS);

    @GuardedBy("this")
    private CallCount last = CallCount.NONE;

    /** @param codeOf the code under which a failure is counted: of a small, fixed set */
    CallMeter(TimeSource time, Function<Throwable, String> codeOf) {
        this.time = time;
        this.codeOf = codeOf;
    }

    /** Makes a call, and counts it when its stage is done. */
    <T, S extends CompletionStage<T>> S measured(Supplier<S> call) {
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

    /** How long all that ended took. */
    CallTiming timing() {
        return new CallTiming(workedIn.snapshot(), failedIn.snapshot());
    }

    /** Ends an interval: what was counted since the last one ended. */
    synchronized CallCount interval() {
        take();
        whole.add(running);
        CallCount total = count(CallTimes.of(whole));
        CallCount interval = total.since(last, CallTimes.of(running));
        last = total;
        running.reset();
        return interval;
    }

    /** Everything since the beginning, with what the running interval has so far. */
    synchronized CallCount total() {
        take();
        Histogram all = whole.copy();
        all.add(running);
        return count(CallTimes.of(all));
    }

    /** The recorder gives its values away once. */
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
        // read last: one that ends meanwhile is still in flight, and never are there fewer than none
        long open = Math.max(0, begun.sum() - worked - failed);
        return new CallCount(worked, byCode, times, open);
    }
}
