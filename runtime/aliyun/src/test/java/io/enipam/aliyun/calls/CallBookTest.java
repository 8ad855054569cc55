package io.enipam.aliyun.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.VirtualTime;
import io.enipam.aliyun.api.CloudApi;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class CallBookTest {
    private static final CloudApi ATTACH = CloudApi.ATTACH_NETWORK_INTERFACE;

    private final VirtualTime time = new VirtualTime();
    private final CallBook book = new CallBook(
            time, new SplittableRandom(3), Map.of("AttachNetworkInterface", 30, CallBook.EVERY_OTHER, 200));

    private ApiBudget budget(CloudApi api) {
        return book.budget().stream()
                .filter(budget -> budget.api().equals(api.wire()))
                .findFirst()
                .orElseThrow();
    }

    private Permission.Granted granted(CloudApi api) {
        return (Permission.Granted) book.ask(api);
    }

    @Test
    void anApiHasItsOwnLimitElseTheGeneralOneElseTheUsualOne() {
        assertThat(budget(ATTACH).limit()).isEqualTo(30);
        assertThat(budget(CloudApi.DESCRIBE_VSWITCHES).limit()).isEqualTo(200);
        assertThat(new CallBook(time, new SplittableRandom(3), Map.of()).budget())
                .extracting(ApiBudget::api, ApiBudget::limit)
                .contains(
                        org.assertj.core.groups.Tuple.tuple("DescribeNetworkInterfaces", 800),
                        org.assertj.core.groups.Tuple.tuple("DescribeVSwitches", 300));
    }

    @Test
    void howLongCallsTookIsKeptApartForThoseThatWorkedAndThoseThatFailed() {
        book.worked(ATTACH, granted(ATTACH), Duration.ofMillis(30));
        book.worked(ATTACH, granted(ATTACH), Duration.ofMillis(50));
        book.failed(ATTACH, granted(ATTACH), "InvalidEniState", Duration.ofMillis(700));
        book.throttled(ATTACH, granted(ATTACH), "Throttling", Duration.ofMillis(5));
        book.waited(ATTACH, Duration.ZERO);

        ApiTimes times = book.times().stream()
                .filter(api -> api.api().equals(ATTACH.wire()))
                .findFirst()
                .orElseThrow();
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
        MetadataBook.Asked asked = book.metadata().ask("instance-id");
        time.advance(Duration.ofMillis(3));
        asked.ended(true);
        for (int i = 0; i < 1_000; i++) {
            book.metadata().ask("path-" + i).ended(false);
        }

        assertThat(book.metadata().paths())
                .hasSizeLessThan(40)
                .filteredOn(path -> path.path().equals("instance-id"))
                .singleElement()
                .satisfies(path -> assertThat(path.worked().sum()).isEqualTo(Duration.ofMillis(3)));
    }

    @Test
    void otherLimitsHoldFromTheNextMinuteOnAndWhatThrottlingTaughtStays() {
        book.throttled(ATTACH, granted(ATTACH), "Throttling", Duration.ofMillis(5));
        int learned = budget(ATTACH).allowed();

        book.limits(Map.of("AttachNetworkInterface", 20, "DetachNetworkInterface", 2));

        assertThat(budget(ATTACH).limit()).isEqualTo(20);
        assertThat(budget(ATTACH).allowed()).isEqualTo(learned).isLessThan(20);
        assertThat(budget(CloudApi.DESCRIBE_VSWITCHES).limit())
                .as("the usual one again")
                .isEqualTo(CloudApi.DESCRIBE_VSWITCHES.perMinute());
        time.advance(Duration.ofMinutes(1));
        assertThat(book.ask(CloudApi.DETACH_NETWORK_INTERFACE)).isInstanceOf(Permission.Granted.class);
        assertThat(book.ask(CloudApi.DETACH_NETWORK_INTERFACE)).isInstanceOf(Permission.Granted.class);
        assertThat(book.ask(CloudApi.DETACH_NETWORK_INTERFACE)).isInstanceOf(Permission.Held.class);

        book.limits(Map.of("DetachNetworkInterface", 4));
        time.advance(Duration.ofMinutes(1));
        assertThat(budget(CloudApi.DETACH_NETWORK_INTERFACE).left()).isEqualTo(4);
    }

    @Test
    void oneApisThrottlingLeavesTheOthersAlone() {
        book.throttled(ATTACH, granted(ATTACH), "Throttling", Duration.ofMillis(5));

        assertThat(book.ask(ATTACH)).isInstanceOf(Permission.Held.class);
        assertThat(book.ask(CloudApi.DETACH_NETWORK_INTERFACE)).isInstanceOf(Permission.Granted.class);
        assertThat(budget(ATTACH)).satisfies(budget -> {
            assertThat(budget.throttles()).isEqualTo(1);
            assertThat(budget.left()).isZero();
            assertThat(budget.inhibitedUntil()).isPresent();
            assertThat(budget.errors()).containsEntry("Throttling", 1L);
        });
    }

    @Test
    void theRingKeepsTheLast256CallsTheLatestFirst() {
        for (int i = 1; i <= 1000; i++) {
            book.ended(ATTACH, "eni-" + i, Duration.ofMillis(i), i % 2 == 0 ? "Throttling" : "", "req-" + i, 1);
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
            book.failed(ATTACH, granted(ATTACH), "Code" + i, Duration.ofMillis(1));
        }

        assertThat(budget(ATTACH).errors()).hasSize(33).containsEntry(ApiBudget.OTHER_CODES, 468L);
        assertThat(budget(ATTACH).calls()).isEqualTo(500);
    }

    @Test
    void timesAreToldByHistogramAndQuantiles() {
        for (int i = 0; i < 99; i++) {
            time.advance(Duration.ofSeconds(10));
            book.worked(ATTACH, granted(ATTACH), Duration.ofMillis(15));
        }
        book.worked(ATTACH, granted(ATTACH), Duration.ofMillis(1700));

        ApiBudget budget = budget(ATTACH);

        assertThat(budget.p50()).isBetween(Duration.ofMillis(10), Duration.ofMillis(20));
        assertThat(budget.p99()).isLessThanOrEqualTo(Duration.ofMillis(20));
        assertThat(budget.max()).isEqualTo(Duration.ofMillis(1700));
        assertThat(budget.latencies()).filteredOn(bucket -> bucket.count() > 0).hasSize(2);
        assertThat(budget(CloudApi.DESCRIBE_INSTANCES).p99()).isZero();
    }

    @Test
    void aQuantileIsNeverAboveTheLongestCall() {
        book.worked(ATTACH, granted(ATTACH), Duration.ofMillis(1200));

        assertThat(budget(ATTACH).p99()).isLessThanOrEqualTo(Duration.ofMillis(1200));
        book.worked(ATTACH, granted(ATTACH), Duration.ofMinutes(3));
        assertThat(budget(ATTACH).max()).isEqualTo(Duration.ofMinutes(3));
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
                        mine += book.ask(ATTACH) instanceof Permission.Granted ? 1 : 0;
                    }
                    return mine;
                }));
            }
            int all = 0;
            for (Future<Integer> one : granted) {
                all += one.get();
            }
            assertThat(all).isEqualTo(30);
            assertThat(budget(ATTACH).used()).isEqualTo(30);
        } finally {
            threads.shutdownNow();
        }
    }
}
