package io.enipam.bench.durable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A fixed number of threads that do the same thing at the same time, each call timed. */
final class LoadGenerator implements AutoCloseable {
    private final int count;
    private final ExecutorService threads;

    LoadGenerator(int count) {
        this.count = count;
        this.threads = Executors.newFixedThreadPool(count);
    }

    /** One operation of one caller. */
    interface Operation {
        /**
         * @param caller 0 to the number of callers
         * @param index 0 to the number of operations of each caller
         */
        void run(int caller, int index) throws Exception;
    }

    int count() {
        return count;
    }

    /**
     * Has each caller do the operation so many times, all of them at once.
     *
     * @param times where the time of each operation is added
     * @return the nanoseconds from the first to the last
     */
    long each(int operations, Operation operation, List<long[]> times) throws InterruptedException {
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
}
