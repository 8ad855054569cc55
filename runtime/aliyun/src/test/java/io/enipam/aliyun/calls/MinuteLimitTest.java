package io.enipam.aliyun.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.VirtualTime;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The limit of one API in virtual time, which begins with a minute of the clock. */
class MinuteLimitTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();

    private MinuteLimit limit(int perMinute) {
        return new MinuteLimit("Api", perMinute, time, new SplittableRandom(7));
    }

    private static int asked(MinuteLimit limit, int times) {
        int granted = 0;
        for (int i = 0; i < times; i++) {
            granted += limit.ask() instanceof Permission.Granted ? 1 : 0;
        }
        return granted;
    }

    private static Permission.Held held(MinuteLimit limit) {
        assertThat(limit.ask()).isInstanceOf(Permission.Held.class);
        return (Permission.Held) limit.ask();
    }

    private static long window(MinuteLimit limit) {
        return ((Permission.Granted) limit.ask()).window();
    }

    @Test
    void aMinuteOfTheClockHasItsCallsAndTheNextMinuteHasThemAnew() {
        MinuteLimit limit = limit(10);
        time.advance(Duration.ofSeconds(55));

        assertThat(asked(limit, 15)).isEqualTo(10);
        assertThat(limit.used()).isEqualTo(10);
        assertThat(limit.left()).isZero();
        assertThat(held(limit).after()).isBetween(Duration.ofMillis(5_100), Duration.ofMillis(6_100));
        assertThat(held(limit).why()).contains("this node's 10 calls of this minute are used up");

        time.advance(Duration.ofSeconds(5));
        assertThat(limit.left()).isEqualTo(10);
        assertThat(asked(limit, 15)).isEqualTo(10);
    }

    @Test
    void aThrottledApiIsLeftAloneUntilJustAfterTheMinutesEnd() {
        MinuteLimit limit = limit(500);
        time.advance(Duration.ofSeconds(20));
        long window = window(limit);

        Duration wait = limit.throttled(window).inhibition();

        assertThat(wait).isBetween(Duration.ofMillis(40_100), Duration.ofMillis(41_100));
        assertThat(limit.left()).isZero();
        assertThat(limit.inhibitedUntil())
                .hasValueSatisfying(end ->
                        assertThat(end).isBetween(Instant.EPOCH.plusMillis(60_100), Instant.EPOCH.plusMillis(61_100)));
        assertThat(held(limit).after()).isEqualTo(wait);
        time.advance(wait.minusNanos(1));
        assertThat(held(limit).after()).isEqualTo(Duration.ofNanos(1));
        time.advance(Duration.ofNanos(1));
        assertThat(limit.ask()).isInstanceOf(Permission.Granted.class);
        assertThat(limit.inhibitedUntil()).isEmpty();
    }

    @Test
    void nodesThatAreThrottledTogetherComeBackApart() {
        MinuteLimit one = new MinuteLimit("Api", 500, time, new SplittableRandom(1));
        MinuteLimit other = new MinuteLimit("Api", 500, time, new SplittableRandom(2));

        assertThat(one.throttled(window(one)).inhibition())
                .isNotEqualTo(other.throttled(window(other)).inhibition());
    }

    @Test
    void halfOfWhatWasTooManyIsAllowedAfterwardsHoweverOftenTheMinuteWasThrottled() {
        MinuteLimit limit = limit(500);
        long window = window(limit);
        asked(limit, 79);

        for (int i = 0; i < 5; i++) {
            limit.throttled(window);
        }

        assertThat(limit.allowed()).isEqualTo(40);
        time.advance(MINUTE.plusSeconds(2));
        assertThat(asked(limit, 100)).as("the minute itself was not quiet").isEqualTo(40);
        assertThat(held(limit).why()).contains("the 40 calls a minute that are left of this node's 500");
    }

    @Test
    void eachQuietMinuteGivesBackATwentiethUpToTheConfiguredLimit() {
        MinuteLimit limit = limit(100);
        asked(limit, 39);
        limit.throttled(window(limit));
        assertThat(limit.allowed()).isEqualTo(20);

        time.advance(MINUTE);
        assertThat(limit.allowed()).as("of the throttled minute").isEqualTo(20);
        time.advance(MINUTE);
        assertThat(limit.allowed()).isEqualTo(25);
        time.advance(MINUTE.multipliedBy(3));
        assertThat(limit.allowed()).isEqualTo(40);
        time.advance(MINUTE.multipliedBy(60));
        assertThat(limit.allowed()).isEqualTo(100);
        assertThat(asked(limit, 200)).isEqualTo(100);
    }

    @Test
    void anApiThatIsAlwaysThrottledIsStillAskedNowAndThen() {
        MinuteLimit limit = limit(500);
        for (int minute = 0; minute < 30; minute++) {
            Permission asked = limit.ask();
            if (asked instanceof Permission.Granted granted) {
                limit.throttled(granted.window());
            }
            time.advance(MINUTE);
        }

        assertThat(limit.allowed()).isGreaterThanOrEqualTo(10);
    }

    @Test
    void aNodeWhoseClockIsAheadOfTheCloudsFindsTheWayOut() {
        // the cloud's minute begins 10 s after this node's: coming back at once is throttled again
        MinuteLimit limit = limit(500);
        Duration behind = Duration.ofSeconds(10);
        int throttled = 0;
        for (int tries = 0; tries < 50; tries++) {
            Permission asked = limit.ask();
            if (asked instanceof Permission.Held held) {
                time.advance(held.after());
            } else if (asked instanceof Permission.Granted granted) {
                boolean full = Duration.between(Instant.EPOCH, time.now()).toSeconds() % 60 < behind.toSeconds();
                if (!full) {
                    limit.served(granted.window());
                    break;
                }
                throttled++;
                limit.throttled(granted.window());
            }
        }

        assertThat(throttled).isBetween(2, 12);
    }

    @Test
    void aThrottlingThatIsToldAfterItsMinuteCutsAndDoesNotInhibitTheNewOne() {
        MinuteLimit limit = limit(500);
        asked(limit, 59);
        long full = window(limit);
        time.advance(MINUTE);

        assertThat(limit.throttled(full).inhibition()).isZero();

        assertThat(limit.allowed()).isEqualTo(30);
        assertThat(limit.ask()).isInstanceOf(Permission.Granted.class);
    }

    @Test
    void aClockThatIsSetBackAnHourStopsNobody() {
        SettableTime clock = new SettableTime();
        MinuteLimit limit = new MinuteLimit("Api", 3, clock, new SplittableRandom(7));
        assertThat(asked(limit, 3)).isEqualTo(3);

        clock.now = clock.now.minus(Duration.ofHours(1));

        assertThat(asked(limit, 5)).isEqualTo(3);
        limit.throttled(0);
        clock.now = clock.now.plus(Duration.ofHours(2));
        assertThat(asked(limit, 5)).isBetween(1, 3);
    }

    @Test
    void anInhibitionEndsByTheClockThatDoesNotJump() {
        SettableTime clock = new SettableTime();
        MinuteLimit limit = new MinuteLimit("Api", 500, clock, new SplittableRandom(7));
        Duration wait = limit.throttled(window(limit)).inhibition();

        clock.now = clock.now.minus(Duration.ofHours(1));
        clock.nanos += wait.toNanos();

        assertThat(limit.ask()).isInstanceOf(Permission.Granted.class);
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
