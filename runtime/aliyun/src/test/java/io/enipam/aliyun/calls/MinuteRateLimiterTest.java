package io.enipam.aliyun.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.calls.ApiCallLog.CallPermission;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The limit of one API in virtual time, which begins with a minute of the clock. */
class MinuteRateLimiterTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime(Instant.EPOCH);

    private MinuteRateLimiter limit(int perMinute) {
        return new MinuteRateLimiter(perMinute, time, new SplittableRandom(7));
    }

    private static int asked(MinuteRateLimiter limit, int times) {
        int granted = 0;
        for (int i = 0; i < times; i++) {
            granted += limit.acquire() instanceof CallPermission.Granted ? 1 : 0;
        }
        return granted;
    }

    private static CallPermission.Held held(MinuteRateLimiter limit) {
        assertThat(limit.acquire()).isInstanceOf(CallPermission.Held.class);
        return (CallPermission.Held) limit.acquire();
    }

    private static long window(MinuteRateLimiter limit) {
        return ((CallPermission.Granted) limit.acquire()).window();
    }

    @Test
    void aMinuteOfTheClockHasItsCallsAndTheNextMinuteHasThemAnew() {
        MinuteRateLimiter limit = limit(10);
        time.advance(Duration.ofSeconds(55));

        assertThat(asked(limit, 15)).isEqualTo(10);
        assertThat(limit.quota().used()).isEqualTo(10);
        assertThat(limit.quota().left()).isZero();
        assertThat(held(limit).after()).isBetween(Duration.ofMillis(5_100), Duration.ofMillis(6_100));
        assertThat(held(limit).why()).contains("this node's 10 calls of this minute are used up");

        time.advance(Duration.ofSeconds(5));
        assertThat(limit.quota().left()).isEqualTo(10);
        assertThat(asked(limit, 15)).isEqualTo(10);
    }

    @Test
    void aThrottledApiIsLeftAloneUntilJustAfterTheMinutesEnd() {
        MinuteRateLimiter limit = limit(500);
        time.advance(Duration.ofSeconds(20));
        long window = window(limit);

        Duration wait = limit.recordThrottling(window).inhibition();

        assertThat(wait).isBetween(Duration.ofMillis(40_100), Duration.ofMillis(41_100));
        assertThat(limit.quota().left()).isZero();
        assertThat(limit.quota().inhibitedUntil())
                .hasValueSatisfying(end ->
                        assertThat(end).isBetween(Instant.EPOCH.plusMillis(60_100), Instant.EPOCH.plusMillis(61_100)));
        assertThat(held(limit).after()).isEqualTo(wait);
        time.advance(wait.minusNanos(1));
        assertThat(held(limit).after()).isEqualTo(Duration.ofNanos(1));
        time.advance(Duration.ofNanos(1));
        assertThat(limit.acquire()).isInstanceOf(CallPermission.Granted.class);
        assertThat(limit.quota().inhibitedUntil()).isEmpty();
    }

    @Test
    void nodesThatAreThrottledTogetherComeBackApart() {
        MinuteRateLimiter one = new MinuteRateLimiter(500, time, new SplittableRandom(1));
        MinuteRateLimiter other = new MinuteRateLimiter(500, time, new SplittableRandom(2));

        assertThat(one.recordThrottling(window(one)).inhibition())
                .isNotEqualTo(other.recordThrottling(window(other)).inhibition());
    }

    @Test
    void halfOfWhatWasTooManyIsAllowedAfterwardsHoweverOftenTheMinuteWasThrottled() {
        MinuteRateLimiter limit = limit(500);
        long window = window(limit);
        asked(limit, 79);

        for (int i = 0; i < 5; i++) {
            limit.recordThrottling(window);
        }

        assertThat(limit.quota().allowed()).isEqualTo(40);
        time.advance(MINUTE.plusSeconds(2));
        assertThat(asked(limit, 100)).as("the minute itself was not quiet").isEqualTo(40);
        assertThat(held(limit).why()).contains("the 40 calls a minute that are left of this node's 500");
    }

    @Test
    void eachQuietMinuteGivesBackATwentiethUpToTheConfiguredLimit() {
        MinuteRateLimiter limit = limit(100);
        asked(limit, 39);
        limit.recordThrottling(window(limit));
        assertThat(limit.quota().allowed()).isEqualTo(20);

        time.advance(MINUTE);
        assertThat(limit.quota().allowed()).as("of the throttled minute").isEqualTo(20);
        time.advance(MINUTE);
        assertThat(limit.quota().allowed()).isEqualTo(25);
        time.advance(MINUTE.multipliedBy(3));
        assertThat(limit.quota().allowed()).isEqualTo(40);
        time.advance(MINUTE.multipliedBy(60));
        assertThat(limit.quota().allowed()).isEqualTo(100);
        assertThat(asked(limit, 200)).isEqualTo(100);
    }

    @Test
    void anApiThatIsAlwaysThrottledIsStillAskedNowAndThen() {
        MinuteRateLimiter limit = limit(500);
        for (int minute = 0; minute < 30; minute++) {
            CallPermission asked = limit.acquire();
            if (asked instanceof CallPermission.Granted granted) {
                limit.recordThrottling(granted.window());
            }
            time.advance(MINUTE);
        }

        assertThat(limit.quota().allowed()).isGreaterThanOrEqualTo(10);
    }

    @Test
    void aNodeWhoseClockIsAheadOfTheCloudsFindsTheWayOut() {
        // the cloud's minute begins 10 s after this node's: coming back at once is throttled again
        MinuteRateLimiter limit = limit(500);
        Duration behind = Duration.ofSeconds(10);
        int throttled = 0;
        for (int tries = 0; tries < 50; tries++) {
            CallPermission asked = limit.acquire();
            if (asked instanceof CallPermission.Held held) {
                time.advance(held.after());
            } else if (asked instanceof CallPermission.Granted granted) {
                boolean full = Duration.between(Instant.EPOCH, time.now()).toSeconds() % 60 < behind.toSeconds();
                if (!full) {
                    limit.recordServed(granted.window());
                    break;
                }
                throttled++;
                limit.recordThrottling(granted.window());
            }
        }

        assertThat(throttled).isBetween(2, 12);
    }

    @Test
    void aThrottlingThatIsToldAfterItsMinuteCutsAndDoesNotInhibitTheNewOne() {
        MinuteRateLimiter limit = limit(500);
        asked(limit, 59);
        long full = window(limit);
        time.advance(MINUTE);

        assertThat(limit.recordThrottling(full).inhibition()).isZero();

        assertThat(limit.quota().allowed()).isEqualTo(30);
        assertThat(limit.acquire()).isInstanceOf(CallPermission.Granted.class);
    }

    @Test
    void aClockThatIsSetBackAnHourStopsNobody() {
        SettableTime clock = new SettableTime();
        MinuteRateLimiter limit = new MinuteRateLimiter(3, clock, new SplittableRandom(7));
        assertThat(asked(limit, 3)).isEqualTo(3);

        clock.now = clock.now.minus(Duration.ofHours(1));

        assertThat(asked(limit, 5)).isEqualTo(3);
        limit.recordThrottling(0);
        clock.now = clock.now.plus(Duration.ofHours(2));
        assertThat(asked(limit, 5)).isBetween(1, 3);
    }

    @Test
    void anInhibitionEndsByTheClockThatDoesNotJump() {
        SettableTime clock = new SettableTime();
        MinuteRateLimiter limit = new MinuteRateLimiter(500, clock, new SplittableRandom(7));
        Duration wait = limit.recordThrottling(window(limit)).inhibition();

        clock.now = clock.now.minus(Duration.ofHours(1));
        clock.nanos += wait.toNanos();

        assertThat(limit.acquire()).isInstanceOf(CallPermission.Granted.class);
    }

    private static final class SettableTime implements TimeSource {
        private Instant now = Instant.parse("2026-01-31T08:00:00Z");
        private long nanos;

        @Override
        public Instant now() {
            return now;
        }

        @Override
        public long nanoTime() {
            return nanos;
        }
    }
}
