package io.enipam.engine.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
    /** A pool policy that ended in a StackOverflowError ended the look at the pool for good. */
    @Test
    void whatIsRepeatedGoesOnAfterAnError() throws InterruptedException {
        Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
        CountDownLatch runs = new CountDownLatch(3);
        ScheduledExecutorService threads = DaemonThreads.repeating(1, "repeats", failed::add);
        try {
            threads.scheduleWithFixedDelay(
                    () -> {
                        runs.countDown();
                        throw new StackOverflowError("as a policy may");
                    },
                    0,
                    1,
                    TimeUnit.MILLISECONDS);

            assertThat(runs.await(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            threads.shutdownNow();
            threads.awaitTermination(1, TimeUnit.MINUTES);
        }
        assertThat(failed).hasSizeGreaterThanOrEqualTo(3).allMatch(StackOverflowError.class::isInstance);
    }
}
