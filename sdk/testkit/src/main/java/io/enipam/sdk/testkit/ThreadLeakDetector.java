package io.enipam.sdk.testkit;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Counts the threads that a piece of work leaves behind. The work runs in a thread group of its own, which its threads
 * inherit: so threads of other tests are not counted, and neither are the JDK's shared pools.
 */
final class ThreadLeakDetector {
    private static final Duration GLANCE = Duration.ofMillis(5);

    private final ThreadGroup group = new ThreadGroup("contract");
    private final Predicate<Thread> foreign;

    ThreadLeakDetector(Predicate<Thread> foreign) {
        this.foreign = foreign;
    }

    /** Runs the work to its end, on a thread of the group. */
    void of(Runnable work) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread worker = new Thread(group, work, "contract-worker");
        worker.setUncaughtExceptionHandler((thread, error) -> thrown.set(error));
        worker.start();
        worker.join();
        if (thrown.get() instanceof AssertionError broken) {
            throw broken;
        }
        if (thrown.get() != null) {
            throw new AssertionError(thrown.get());
        }
    }

    /** Waits until no thread is left, or the time is over. */
    List<Thread> leftAfter(Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (!left().isEmpty() && System.nanoTime() < end) {
            Thread.sleep(GLANCE.toMillis());
        }
        return left();
    }

    private List<Thread> left() {
        Thread[] threads = new Thread[group.activeCount() + 64];
        int count = group.enumerate(threads);
        return Stream.of(threads)
                .limit(count)
                .filter(Thread::isAlive)
                .filter(thread -> !shared(thread) && !foreign.test(thread))
                .toList();
    }

    private static boolean shared(Thread thread) {
        // the JDK's one thread for timeouts, and its name since JDK 25
        return thread.getName().equals("CompletableFutureDelayScheduler")
                || thread.getName().equals("ForkJoinPool.commonPool-delayScheduler")
                || (thread instanceof ForkJoinWorkerThread worker && worker.getPool() == ForkJoinPool.commonPool());
    }
}
