package io.enipam.observability.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.simulation.VirtualTime;
import io.enipam.observability.history.Sample.CallCount;
import io.enipam.observability.history.Sample.CallTimes;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CallMeterTest {
    private final VirtualTime time = new VirtualTime();
    private final CallMeter meter = new CallMeter(time, failure -> String.valueOf(failure.getMessage()));

    @Test
    void anIntervalHasWhatEndedInItAndHowLongThatTook() {
        IntStream.rangeClosed(1, 100).forEach(millis -> call(Duration.ofMillis(millis)));

        CallCount interval = meter.interval();

        assertThat(interval.done()).isEqualTo(100);
        CallTimes times = interval.times().orElseThrow();
        assertThat(times.p50()).isBetween(Duration.ofNanos(49_500_000), Duration.ofNanos(50_500_000));
        assertThat(times.p99()).isBetween(Duration.ofNanos(98_000_000), Duration.ofNanos(100_000_000));
        assertThat(times.max()).isBetween(Duration.ofNanos(99_000_000), Duration.ofNanos(101_000_000));
    }

    @Test
    void theNextIntervalKnowsNothingOfTheLastOneButTheWholeKnowsBoth() {
        call(Duration.ofSeconds(2));
        meter.interval();
        call(Duration.ofMillis(10));

        assertThat(meter.interval().times().orElseThrow().max()).isLessThan(Duration.ofMillis(11));
        assertThat(meter.total().done()).isEqualTo(2);
        assertThat(meter.total().times().orElseThrow().max()).isGreaterThan(Duration.ofMillis(1980));
    }

    @Test
    void whoLooksAtTheWholeTakesNothingFromTheRunningInterval() {
        call(Duration.ofMillis(10));
        assertThat(meter.total().done()).isEqualTo(1);
        call(Duration.ofMillis(30));
        assertThat(meter.total().done()).isEqualTo(2);

        CallCount interval = meter.interval();

        assertThat(interval.done()).isEqualTo(2);
        assertThat(interval.times().orElseThrow().p50()).isBetween(Duration.ofMillis(9), Duration.ofMillis(11));
        assertThat(interval.times().orElseThrow().max()).isBetween(Duration.ofMillis(29), Duration.ofMillis(31));
    }

    @Test
    void aFailureIsCountedUnderItsCodeWhetherTheStageFailsOrTheCallThrows() {
        meter.measured(() -> CompletableFuture.failedFuture(new IllegalStateException("FULL")));
        assertThatThrownBy(() -> meter.measured(() -> {
                    throw new IllegalStateException("CLOSED");
                }))
                .hasMessage("CLOSED");
        meter.measured(() -> CompletableFuture.completedFuture("fine").thenApply(x -> {
            throw new IllegalStateException("FULL");
        }));

        CallCount interval = meter.interval();

        assertThat(interval.failures()).containsExactlyInAnyOrderEntriesOf(Map.of("FULL", 2L, "CLOSED", 1L));
        assertThat(interval.failed()).isEqualTo(3);
        assertThat(interval.done()).isZero();
        assertThat(meter.interval().failures()).isEmpty();
        assertThat(meter.total().failed()).isEqualTo(3);
    }

    @Test
    void whatHasNotEndedIsInFlightAndTakesItsWholeTimeInTheIntervalInWhichItEnds() {
        CompletableFuture<String> slow = new CompletableFuture<>();
        meter.measured(() -> slow);
        time.advance(Duration.ofSeconds(5));
        CallCount first = meter.interval();
        assertThat(first.inFlight()).isEqualTo(1);
        assertThat(first.times()).isEmpty();

        time.advance(Duration.ofSeconds(3));
        slow.complete("at last");
        CallCount second = meter.interval();

        assertThat(second.inFlight()).isZero();
        assertThat(second.times().orElseThrow().p50()).isBetween(Duration.ofMillis(7_900), Duration.ofMillis(8_100));
    }

    @Test
    void callsFromManyThreadsAreAllCountedOnceWhileIntervalsEnd() throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Future<?>[] callers = IntStream.range(0, 4)
                    .mapToObj(i -> threads.submit(() -> {
                        for (int n = 0; n < 5_000; n++) {
                            meter.measured(() -> CompletableFuture.completedFuture("x"));
                        }
                    }))
                    .toArray(Future<?>[]::new);
            long counted = 0;
            for (int i = 0; i < 50; i++) {
                counted += meter.interval().done();
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
            counted += meter.interval().done();

            assertThat(counted).isEqualTo(20_000);
            assertThat(meter.total().done()).isEqualTo(20_000);
        } finally {
            threads.shutdown();
            assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private void call(Duration takes) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        meter.measured(() -> answer);
        time.advance(takes);
        answer.complete("done");
    }
}
