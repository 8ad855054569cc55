package io.enipam.aliyun.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.ApiCallLog.CallPermission;
import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ApiCallLogTest {
    private static final CloudApi ATTACH = CloudApi.ATTACH_NETWORK_INTERFACE;

    private final VirtualTime time = new VirtualTime(Instant.EPOCH);
    private final ApiCallLog book = new ApiCallLog(
            time, new SplittableRandom(3), Map.of("AttachNetworkInterface", 30, ApiCallLog.EVERY_OTHER, 200));

    private ApiQuotaStatus budget(CloudApi api) {
        return book.quotaStatus().stream()
                .filter(budget -> budget.api().equals(api.wireName()))
                .findFirst()
                .orElseThrow();
    }

    private CallPermission.Granted granted(CloudApi api) {
        return (CallPermission.Granted) book.acquire(api);
    }

    @Test
    void anApiHasItsOwnLimitElseTheGeneralOneElseTheUsualOne() {
        assertThat(budget(ATTACH).quota().limit()).isEqualTo(30);
        assertThat(budget(CloudApi.DESCRIBE_VSWITCHES).quota().limit()).isEqualTo(200);
        assertThat(new ApiCallLog(time, new SplittableRandom(3), Map.of()).quotaStatus())
                .extracting(ApiQuotaStatus::api, status -> status.quota().limit())
                .contains(
                        org.assertj.core.groups.Tuple.tuple("DescribeNetworkInterfaces", 800),
                        org.assertj.core.groups.Tuple.tuple("DescribeVSwitches", 300));
    }

    @Test
    void howLongCallsTookIsKeptApartForThoseThatWorkedAndThoseThatFailed() {
        book.recordServed(ATTACH, granted(ATTACH), "", Duration.ofMillis(30));
        book.recordServed(ATTACH, granted(ATTACH), "", Duration.ofMillis(50));
        book.recordServed(ATTACH, granted(ATTACH), "InvalidEniState", Duration.ofMillis(700));
        book.recordThrottling(ATTACH, granted(ATTACH), "Throttling", Duration.ofMillis(5));
        book.recordWait(ATTACH, Duration.ZERO);

        ApiQuotaStatus times = budget(ATTACH);
        assertThat(times.worked().sum()).isEqualTo(Duration.ofMillis(80));
        assertThat(times.worked().count()).isEqualTo(2);
        assertThat(times.failed().sum()).isEqualTo(Duration.ofMillis(705));
        assertThat(times.failed().count()).isEqualTo(2);
        assertThat(times.waited().count())
                .as("one that need not wait counts, too")
                .isEqualTo(1);
    }

    @Test
    void requestsToTheMetadataServiceAreCountedByPathAndThereAreFewPaths() {
        Consumer<Boolean> asked = book.metadata().begin("instance-id");
        time.advance(Duration.ofMillis(3));
        asked.accept(true);
        for (int i = 0; i < 1_000; i++) {
            book.metadata().begin("path-" + i).accept(false);
        }

        assertThat(book.metadata().paths())
                .hasSizeLessThan(40)
                .filteredOn(path -> path.path().equals("instance-id"))
                .singleElement()
                .satisfies(path -> assertThat(path.worked().sum()).isEqualTo(Duration.ofMillis(3)));
    }

    @Test
    void otherLimitsHoldFromTheNextMinuteOnAndWhatThrottlingTaughtStays() {
        book.recordThrottling(ATTACH, granted(ATTACH), "Throttling", Duration.ofMillis(5));
        int learned = budget(ATTACH).quota().allowed();

        book.setLimits(Map.of("AttachNetworkInterface", 20, "DetachNetworkInterface", 2));

        assertThat(budget(ATTACH).quota().limit()).isEqualTo(20);
        assertThat(budget(ATTACH).quota().allowed()).isEqualTo(learned).isLessThan(20);
        assertThat(budget(CloudApi.DESCRIBE_VSWITCHES).quota().limit())
                .as("the usual one again")
                .isEqualTo(CloudApi.DESCRIBE_VSWITCHES.perMinute());
        time.advance(Duration.ofMinutes(1));
        assertThat(book.acquire(CloudApi.DETACH_NETWORK_INTERFACE)).isInstanceOf(CallPermission.Granted.class);
        assertThat(book.acquire(CloudApi.DETACH_NETWORK_INTERFACE)).isInstanceOf(CallPermission.Granted.class);
        assertThat(book.acquire(CloudApi.DETACH_NETWORK_INTERFACE)).isInstanceOf(CallPermission.Held.class);

        book.setLimits(Map.of("DetachNetworkInterface", 4));
        time.advance(Duration.ofMinutes(1));
        assertThat(budget(CloudApi.DETACH_NETWORK_INTERFACE).quota().left()).isEqualTo(4);
    }

    @Test
    void oneApisThrottlingLeavesTheOthersAlone() {
        book.recordThrottling(ATTACH, granted(ATTACH), "Throttling", Duration.ofMillis(5));

        assertThat(book.acquire(ATTACH)).isInstanceOf(CallPermission.Held.class);
        assertThat(book.acquire(CloudApi.DETACH_NETWORK_INTERFACE)).isInstanceOf(CallPermission.Granted.class);
        assertThat(budget(ATTACH)).satisfies(budget -> {
            assertThat(budget.throttles()).isEqualTo(1);
            assertThat(budget.quota().left()).isZero();
            assertThat(budget.quota().inhibitedUntil()).isPresent();
            assertThat(budget.errors()).containsEntry("Throttling", 1L);
        });
    }

    @Test
    void theRingKeepsTheLast256CallsTheLatestFirst() {
        for (int i = 1; i <= 1000; i++) {
            book.recordEnd(ATTACH, "eni-" + i, Duration.ofMillis(i), i % 2 == 0 ? "Throttling" : "", "req-" + i, 1);
        }

        assertThat(book.calls()).hasSize(256);
        assertThat(book.calls().get(0).target()).isEqualTo("eni-1000");
        assertThat(book.calls().get(0).sequence()).isEqualTo(1000);
        assertThat(book.calls().get(0).failed()).isTrue();
        assertThat(book.calls().get(255).target()).isEqualTo("eni-745");
    }

    @Test
    void aCloudThatInventsCodesFillsNoMemory() {
        for (int i = 0; i < 500; i++) {
            time.advance(Duration.ofSeconds(10));
            book.recordServed(ATTACH, granted(ATTACH), "Code" + i, Duration.ofMillis(1));
        }

        assertThat(budget(ATTACH).errors()).hasSize(33).containsEntry(ApiQuotaStatus.OTHER_CODES, 468L);
        assertThat(budget(ATTACH).calls()).isEqualTo(500);
    }

    @Test
    void timesAreToldByHistogramAndQuantiles() {
        for (int i = 0; i < 99; i++) {
            time.advance(Duration.ofSeconds(10));
            book.recordServed(ATTACH, granted(ATTACH), "", Duration.ofMillis(15));
        }
        book.recordServed(ATTACH, granted(ATTACH), "", Duration.ofMillis(1700));

        ApiQuotaStatus budget = budget(ATTACH);

        assertThat(budget.quantile(0.5)).isBetween(Duration.ofMillis(10), Duration.ofMillis(20));
        assertThat(budget.quantile(0.99)).isLessThanOrEqualTo(Duration.ofMillis(20));
        assertThat(budget.latencies().longest()).hasValue(Duration.ofMillis(1700));
        assertThat(budget.latencies().buckets())
                .filteredOn(bucket -> bucket.count() > 0)
                .hasSize(2);
        assertThat(budget(CloudApi.DESCRIBE_INSTANCES).quantile(0.99)).isZero();
    }

    @Test
    void aQuantileIsNeverAboveTheLongestCall() {
        book.recordServed(ATTACH, granted(ATTACH), "", Duration.ofMillis(1200));

        assertThat(budget(ATTACH).quantile(0.99)).isLessThanOrEqualTo(Duration.ofMillis(1200));
        book.recordServed(ATTACH, granted(ATTACH), "", Duration.ofMinutes(3));
        assertThat(budget(ATTACH).latencies().longest()).hasValue(Duration.ofMinutes(3));
    }

    @Test
    void manyThreadsGetNoMorePermissionsThanThereAre() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<Integer>> granted = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                granted.add(threads.submit(() -> {
                    int mine = 0;
                    for (int ask = 0; ask < 100; ask++) {
                        mine += book.acquire(ATTACH) instanceof CallPermission.Granted ? 1 : 0;
                    }
                    return mine;
                }));
            }
            int all = 0;
            for (Future<Integer> one : granted) {
                all += one.get();
            }
            assertThat(all).isEqualTo(30);
            assertThat(budget(ATTACH).quota().used()).isEqualTo(30);
        } finally {
            threads.shutdownNow();
        }
    }
}
