package io.enipam.node.overrides;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.node.overrides.CapacityOverrides.FlushingExecutor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FlushingExecutorTest {
    private final List<String> written = new CopyOnWriteArrayList<>();

    @Test
    void whatBecameOfAnOrderIsWrittenBeforeTheEndAndNotInterrupted() throws InterruptedException {
        FlushingExecutor writes = new FlushingExecutor();
        CountDownLatch slowDisk = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        writes.execute(() -> {
            begun.countDown();
            written.add(waited(slowDisk) ? "first" : "interrupted");
        });
        writes.execute(() -> written.add("second"));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        Thread end = new Thread(writes::close);
        end.start();
        slowDisk.countDown();
        end.join();

        assertThat(written).containsExactly("first", "second");
    }

    private static boolean waited(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Test
    void whatComesAfterTheEndFailsNobody() {
        FlushingExecutor writes = new FlushingExecutor();
        writes.close();

        writes.execute(() -> written.add("late"));

        assertThat(written).isEmpty();
    }
}
