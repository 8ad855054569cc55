package io.enipam.diagnostics.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.diagnostics.doctor.Doctor.CheckRuns;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of checks for which no thread is free. */
@Timeout(60)
class CheckRunsTest {
    private static final Facts NONE = new Facts() {
        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public <T extends Record> T the(Class<T> part) {
            throw new MissingFact("there are none");
        }
    };

    private static Check given(String id, CountDownLatch end) {
        return Check.of(id, Severity.WARN, "t").by(facts -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Outcome.ok("fine");
        });
    }

    @Test
    void whatIsGivenUpLeavesTheLineWithItsFacts() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        ThreadPoolExecutor one = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        try {
            CheckRuns runs = new CheckRuns(one, Duration.ofSeconds(3));
            CompletableFuture<Outcome> hanging = runs.make(given("hanging", never), NONE);
            CompletableFuture<Outcome> inLine = runs.make(given("in-line", new CountDownLatch(0)), NONE);

            assertThat(inLine.get().summary()).contains("no thread was free");
            assertThat(hanging.get().summary()).contains("did not come to its end");
            assertThat(one.getQueue()).isEmpty();
        } finally {
            never.countDown();
            one.shutdownNow();
        }
    }
}
