package io.enipam.observability.history;

import java.time.Duration;
import java.util.Optional;
import org.HdrHistogram.AbstractHistogram;

/**
 * How long calls took.
 *
 * @param p50 half of them took no longer
 * @param p99 99 percent of them took no longer
 * @param max the longest; all three to one percent
 */
public record CallTimes(Duration p50, Duration p99, Duration max) {
    /** The times in a histogram of microseconds; empty if nothing is in it. */
    static Optional<CallTimes> of(AbstractHistogram micros) {
        return micros.getTotalCount() == 0
                ? Optional.empty()
                : Optional.of(new CallTimes(
                        duration(micros.getValueAtPercentile(50)),
                        duration(micros.getValueAtPercentile(99)),
                        duration(micros.getMaxValue())));
    }

    private static Duration duration(long micros) {
        return Duration.ofNanos(micros * 1_000);
    }
}
