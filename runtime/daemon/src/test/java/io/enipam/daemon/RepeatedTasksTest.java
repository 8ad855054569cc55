package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RepeatedTasksTest {
    @Test
    void aTaskGoesOnAfterItFailed() throws InterruptedException {
        ScheduledExecutorService threads = BaseModule.threads(1, "test");
        try {
            CountDownLatch runs = new CountDownLatch(3);
            threads.scheduleWithFixedDelay(
                    () -> {
                        runs.countDown();
                        if (runs.getCount() == 2) {
                            throw new OutOfMemoryError("a large call came at the same moment");
                        }
                        throw new IllegalStateException("a bug");
                    },
                    0,
                    1,
                    TimeUnit.MILLISECONDS);
            assertThat(runs.await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }
}
