package io.enipam.aliyun.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.ApiCallLog.CallPermission;
import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Nodes that share one account's quota, an hour in virtual time: the cloud counts in minutes of its clock and throttles what
 * is too much, and each node asks as fast as its book lets it.
 */
class QuotaLearningTest {
    private static final CloudApi API = CloudApi.ASSIGN_PRIVATE_IP_ADDRESSES;
    private static final Duration CALL = Duration.ofMillis(20);

    private final VirtualTime time = new VirtualTime(Instant.EPOCH);

    private record Outcome(int done, int throttled, int minutesOver) {}

    private Outcome hour(int nodes, int quota) {
        List<ApiCallLog> books = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            books.add(new ApiCallLog(time, new SplittableRandom(node), Map.of()));
        }
        int done = 0;
        int throttled = 0;
        int minutesOver = 0;
        for (int minute = 0; minute < 60; minute++) {
            long end = (minute + 1) * Duration.ofMinutes(1).toNanos();
            int count = 0;
            while (time.nanoTime() < end) {
                for (ApiCallLog book : books) {
                    if (!(book.acquire(API) instanceof CallPermission.Granted granted)) {
                        continue;
                    }
                    count++;
                    if (count > quota) {
                        throttled++;
                        book.recordThrottling(API, granted, "Throttling.User", CALL);
                    } else {
                        done++;
                        book.recordServed(API, granted, "", CALL);
                    }
                }
                time.advance(CALL);
            }
            minutesOver += count > quota ? 1 : 0;
        }
        return new Outcome(done, throttled, minutesOver);
    }

    @Test
    void nodesThatShareAQuotaUseMostOfItAndAreThrottledNoMoreThanOnceAMinuteEach() {
        int nodes = 10;
        int quota = 300;

        Outcome outcome = hour(nodes, quota);

        // each node alone would ask 400 times a minute: 3,700 of 4,000 calls a minute would be refused
        assertThat(outcome.throttled()).isLessThanOrEqualTo(nodes * 60);
        assertThat(outcome.done()).isGreaterThan(60 * quota / 2);
    }

    @Test
    void aNodeAloneWithinItsQuotaIsNeverHeldBack() {
        Outcome outcome = hour(1, 1_000);

        assertThat(outcome.throttled()).isZero();
        assertThat(outcome.done()).isEqualTo(60 * API.perMinute());
    }

    @Test
    void aQuotaBelowANodesLimitIsFoundAndMostlyKept() {
        Outcome outcome = hour(1, 100);

        assertThat(outcome.minutesOver()).isLessThan(30);
        assertThat(outcome.done()).isGreaterThan(60 * 100 / 2);
    }
}
