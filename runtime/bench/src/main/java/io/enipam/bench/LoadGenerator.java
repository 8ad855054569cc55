package io.enipam.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

/** A fixed number of threads that do the same thing at the same time, each call timed. */
public final class LoadGenerator implements AutoCloseable {
    private final int count;
    private final ExecutorService threads;

    /** @param count at least 1 */
    public LoadGenerator(int count) {
        this.count = count;
        this.threads = Executors.newFixedThreadPool(count);
    }

    /** One operation of one caller. */
    @FunctionalInterface
    public interface Operation {
        /**
         * @param caller 0 to the number of callers
         * @param index 0 to the number of operations of each caller
         */
        void run(int caller, int index) throws Exception;
    }

    public int count() {
        return count;
    }

    /**
     * Has each caller do the operation so many times, all of them at once, and adds the time of each operation to the
     * list. Returns the nanoseconds from the first to the last.
     */
    public long each(int operations, Operation operation, List<long[]> times) throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<long[]>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int caller = i;
            running.add(threads.submit(() -> {
                long[] mine = new long[operations];
                start.await();
                for (int index = 0; index < operations; index++) {
                    long began = System.nanoTime();
                    operation.run(caller, index);
                    mine[index] = System.nanoTime() - began;
                }
                return mine;
            }));
        }
        long began = System.nanoTime();
        start.countDown();
        for (Future<long[]> one : running) {
            try {
                times.add(one.get());
            } catch (ExecutionException e) {
                throw new IllegalStateException("an operation failed", e.getCause());
            }
        }
        return System.nanoTime() - began;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /**
     * What a measurement gave: how long all operations took, on the clock, and what half and 99 of 100 of them took at
     * most.
     */
    public record Measurement(long count, long nanos, long p50Nanos, long p99Nanos) {
        /**
         * @param nanos how long all of it took
         * @param times what each operation took
         */
        public static Measurement of(long nanos, List<long[]> times) {
            long[] sorted = times.stream().flatMapToLong(LongStream::of).toArray();
            Arrays.sort(sorted);
            return new Measurement(
                    sorted.length, nanos, sorted[sorted.length / 2], sorted[(int) (sorted.length * 99L / 100)]);
        }

        public double perSecond() {
            return count * 1e9 / nanos;
        }

        public double p50Millis() {
            return p50Nanos / 1e6;
        }

        public double p99Millis() {
            return p99Nanos / 1e6;
        }
    }
}
