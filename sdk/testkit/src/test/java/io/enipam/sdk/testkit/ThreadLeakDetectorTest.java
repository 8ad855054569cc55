package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThreadLeakDetectorTest {
    /** It is called otherwise since JDK 25, and belongs to the thread group of whoever has the first timeout. */
    @Test
    void theThreadThatTheJdkHasForTimeoutsIsNotCounted() throws InterruptedException {
        ThreadLeakDetector census = new ThreadLeakDetector(thread -> false);

        census.of(() -> new CompletableFuture<>().orTimeout(10, TimeUnit.MINUTES));

        assertThat(census.leftAfter(Duration.ZERO)).isEmpty();
    }
}
