package io.enipam.observability.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.CallPermission;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.observability.history.Sample.CloudCount;
import io.enipam.observability.history.Sample.ProcessGauge;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private final VirtualTime virtual = new VirtualTime();
    private Duration clockSetBy = Duration.ZERO;
    private final TimeSource time = new TimeSource() {
        @Override
        public Instant now() {
            return virtual.now().plus(clockSetBy);
        }

        @Override
        public long nanoTime() {
            return virtual.nanoTime();
        }
    };
    private final ApiCallLog calls = new ApiCallLog(time, new SplittableRandom(1), Map.of("DescribeVSwitches", 40));
    private final Meters meters = new Meters(time, calls);
    private final FakeEngine fake = new FakeEngine(100);
    private final IpamEngine engine = meters.counting(fake);

    @AutoClose
    private final History history = new History(meters, engine::poolSummary, engine::status);

    @BeforeEach
    void start() {
        engine.start().join();
    }

    @Test
    void theSamplesOfAFormerRunGoBeforeThoseOfThisOneWhichMarksItsFirst() {
        add("web-1");
        List<Sample> former = List.of(next(Duration.ofSeconds(5)), next(Duration.ofSeconds(5)));
        clockSetBy = Duration.ofHours(-9);
        List<Sample> kept = new ArrayList<>();
        History later = new History(new Meters(time, calls), engine::poolSummary, engine::status);
        later.goOn(former, "crash", time, kept::add);
        virtual.advance(Duration.ofSeconds(5));
        later.sample();
        virtual.advance(Duration.ofSeconds(5));
        later.sample();

        assertThat(later.samples()).extracting(Sample::sequence).containsExactly(1L, 2L, 3L, 4L);
        assertThat(later.samples()).extracting(Sample::restarted).containsExactly("", "", "crash", "");
        assertThat(later.samples()).extracting(Sample::atNanos).isSorted();
        assertThat(later.samples().get(0).counts()).isEqualTo(former.get(0).counts());
        assertThat(kept).isEqualTo(later.samples().subList(2, 4));

        clockSetBy = Duration.ofHours(9);
        History afterHours = new History(new Meters(time, calls), engine::poolSummary, engine::status);
        afterHours.goOn(former, "stop", time, kept::add);
        assertThat(afterHours.samples()).as("of the last hour").isEmpty();
        later.close();
        afterHours.close();
    }

    @Test
    void aSampleSaysWhatWasAskedInItsIntervalAndHowThePoolStands() {
        add("web-1");
        add("web-2");
        engine.del(owner("web-1")).join();
        fake.put(ResourceState.IDLE, time.now());
        fake.put(ResourceState.COOLING, time.now());

        Sample sample = next(Duration.ofSeconds(5));

        assertThat(sample.counts().add().done()).isEqualTo(2);
        assertThat(sample.counts().del().done()).isEqualTo(1);
        assertThat(sample.pool().count(ResourceState.IN_USE)).isEqualTo(1);
        assertThat(sample.pool().count(ResourceState.COOLING)).isEqualTo(1);
        assertThat(sample.pool().count(ResourceState.IDLE)).isEqualTo(1);
        assertThat(sample.pool().capacity()).isEqualTo(100);
        assertThat(sample.interval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(next(Duration.ofSeconds(5)).counts().add().done()).isZero();
    }

    @Test
    void failuresOfAddAreCountedByTheirCodes() {
        fake.failWith(new IpamException(ErrorCode.POOL_EXHAUSTED, "nothing left", ""));
        add("web-1");
        add("web-2");
        fake.failWith(new IllegalStateException("a bug"));
        add("web-3");

        assertThat(next(Duration.ofSeconds(5)).counts().add().failures())
                .containsExactlyInAnyOrderEntriesOf(Map.of("POOL_EXHAUSTED", 2L, "INTERNAL", 1L));
    }

    @Test
    void aClockThatIsSetBackMakesNoIntervalNegativeAndNoSampleOlderThanTheOneBefore() {
        Sample before = next(Duration.ofSeconds(5));
        clockSetBy = Duration.ofHours(-3);
        Sample after = next(Duration.ofSeconds(5));

        assertThat(after.at()).isBefore(before.at());
        assertThat(after.interval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(after.atNanos() - before.atNanos()).isEqualTo(5_000_000_000L);
    }

    @Test
    void aSampleThatIsLateHasALongerIntervalRatherThanAHole() {
        next(Duration.ofSeconds(5));
        add("web-1");

        Sample late = next(Duration.ofSeconds(17));

        assertThat(late.interval()).isEqualTo(Duration.ofSeconds(17));
        assertThat(late.counts().add().done()).isEqualTo(1);
    }

    @Test
    void theRingForgetsTheOldest() {
        for (int i = 0; i < History.SIZE + 3; i++) {
            next(Duration.ofSeconds(5));
        }

        List<Sample> kept = history.samples();
        assertThat(kept).hasSize(History.SIZE);
        assertThat(kept.get(0).sequence()).isEqualTo(4);
        assertThat(kept.get(kept.size() - 1).sequence()).isEqualTo(History.SIZE + 3);
    }

    @Test
    void callsOfTheCloudAreThoseOfTheIntervalByApiWithItsBudget() {
        cloudCall(Duration.ofMillis(3));
        next(Duration.ofSeconds(5));
        cloudCall(Duration.ofMillis(150));
        cloudCall(Duration.ofMillis(180));
        CallPermission.Granted third = (CallPermission.Granted) calls.acquire(CloudApi.DESCRIBE_VSWITCHES);
        calls.recordThrottling(CloudApi.DESCRIBE_VSWITCHES, third, "Throttling.User", Duration.ofMillis(160));

        CloudCount cloud = next(Duration.ofSeconds(5)).counts().cloud();

        assertThat(cloud.calls()).isEqualTo(3);
        assertThat(cloud.failed()).isEqualTo(1);
        assertThat(cloud.throttled()).isEqualTo(1);
        assertThat(cloud.p50().orElseThrow()).isBetween(Duration.ofMillis(100), Duration.ofMillis(200));
        CloudCount.Api api = cloud.apis().get(0);
        assertThat(api.api()).isEqualTo("DescribeVSwitches");
        assertThat(api.used()).isEqualTo(4);
        assertThat(api.limit()).isEqualTo(40);
        assertThat(api.allowed()).isLessThan(40);
        assertThat(api.inhibited()).isTrue();
    }

    @Test
    void commitsOfTheDatabaseAreCountedAsWell() {
        MeteredDb db = new MeteredDb(new FakeDb(), meters);
        db.commit(List.of());

        assertThat(next(Duration.ofSeconds(5)).counts().commits().done()).isEqualTo(1);
        assertThat(meters.totals().counts().commits().done()).isEqualTo(1);
    }

    @Test
    void theTotalsAreOfTheWholeLifeAndTakeNothingFromTheSamples() {
        add("web-1");
        next(Duration.ofSeconds(5));
        add("web-2");
        Meters.Totals totals = meters.totals();

        assertThat(totals.counts().add().done()).isEqualTo(2);
        assertThat(totals.uptime()).isEqualTo(Duration.ofSeconds(5));
        assertThat(next(Duration.ofSeconds(5)).counts().add().done()).isEqualTo(1);
    }

    @Test
    void thisProcessIsSeenInProc() {
        ProcessGauge own = ProcessGauge.read();

        assertThat(own.rss()).isGreaterThan(1 << 20);
        assertThat(own.threads()).isPositive();
        assertThat(own.fds()).isPositive();
        assertThat(own.heapUsed()).isPositive();
    }

    private Sample next(Duration after) {
        virtual.advance(after);
        history.sample();
        List<Sample> kept = history.samples();
        return kept.get(kept.size() - 1);
    }

    private void cloudCall(Duration took) {
        CallPermission.Granted granted = (CallPermission.Granted) calls.acquire(CloudApi.DESCRIBE_VSWITCHES);
        calls.recordServed(CloudApi.DESCRIBE_VSWITCHES, granted, "", took);
    }

    private void add(String pod) {
        engine.add(new AddCommand(owner(pod), PodRef.parse("default/" + pod), Duration.ofSeconds(10)))
                .handle((outcome, failure) -> outcome)
                .join();
    }

    private static OwnerKey owner(String pod) {
        return new OwnerKey("enipam", pod, "eth0");
    }
}
