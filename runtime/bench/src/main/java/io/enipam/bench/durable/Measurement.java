package io.enipam.bench.durable;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What a measurement gave.
 *
 * @param count operations
 * @param nanos how long all of them took, on the clock
 * @param p50Nanos what half of them took at most
 * @param p99Nanos what 99 of 100 took at most
 */
record Measurement(long count, long nanos, long p50Nanos, long p99Nanos) {
    /**
     * @param nanos how long all of it took
     * @param times what each operation took
     */
    static Measurement of(long nanos, List<long[]> times) {
        long[] sorted = times.stream().flatMapToLong(LongStream::of).toArray();
        Arrays.sort(sorted);
        return new Measurement(sorted.length, nanos, sorted[sorted.length / 2], sorted[(int) (sorted.length * 99L / 100)]);
    }

    double perSecond() {
        return count * 1e9 / nanos;
    }

    double p50Millis() {
        return p50Nanos / 1e6;
    }

    double p99Millis() {
        return p99Nanos / 1e6;
    }
}
