package io.enipam.kubernetes.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.kubernetes.events.EventReporter.EventCorrelator;
import io.enipam.kubernetes.events.EventReporter.EventCorrelator.Decision;
import io.enipam.kubernetes.events.EventReporter.EventNotice;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EventCorrelatorTest {
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
    private static final PodRef WEB = new PodRef("default", "web-0");

    private final EventCorrelator correlator = new EventCorrelator();
    private Instant now = START;
    private int names;

    @Test
    void whatHappensAgainIsOneEventWithACount() {
        List<Integer> told = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            decide(notice("no address"))
                    .map(decision -> decision.series().count())
                    .ifPresent(told::add);
        }
        assertThat(told).containsExactly(1, 2, 4, 8, 16);
        assertThat(names).isEqualTo(1);
    }

    @Test
    void aSeriesThatGoesOnSlowlyIsToldOnceAMinute() {
        decide(notice("no address"));
        decide(notice("no address"));
        assertThat(decide(notice("no address"))).isEmpty();
        now = now.plusSeconds(61);
        assertThat(decide(notice("no address")))
                .hasValueSatisfying(
                        decision -> assertThat(decision.series().count()).isEqualTo(4));
    }

    @Test
    void afterTenQuietMinutesItIsNewsAgain() {
        decide(notice("no address"));
        now = now.plus(Duration.ofMinutes(10));
        assertThat(decide(notice("no address"))).map(Decision::fresh).contains(true);
        assertThat(names).isEqualTo(2);
    }

    @Test
    void aPodThatFailsInAThousandWaysHas25EventsAndOthersHaveTheirs() {
        int told = 0;
        for (int i = 0; i < 1_000; i++) {
            told += decide(notice("failure " + i)).isPresent() ? 1 : 0;
        }
        assertThat(told).isEqualTo(EventCorrelator.BURST);
        assertThat(decide(EventNotice.ofNode(true, "R", "of the node"))).isPresent();
        now = now.plus(EventCorrelator.REFILL);
        assertThat(decide(notice("one more"))).isPresent();
        assertThat(decide(notice("and another"))).isEmpty();
    }

    @Test
    void tenThousandAddsOfANodeFullOfPodsThatFailAreABoundedNumberOfRequests() {
        int told = 0;
        for (int i = 0; i < 10_000; i++) {
            told += correlator
                            .decide(
                                    EventNotice.ofPod(
                                            new PodRef("default", "job-" + i % 250),
                                            "u" + i % 250,
                                            true,
                                            "AllocIPFailed",
                                            "no address for pod default/job-" + i % 250
                                                    + " within 30 s; creates wait for " + i / 250 + ".5 s"),
                                    now,
                                    nanos(),
                                    () -> "event-" + ++names)
                            .isPresent()
                    ? 1
                    : 0;
            now = now.plusMillis(60);
        }
        assertThat(told).as("in ten minutes").isBetween(EventCorrelator.NODE_BURST, 200);
        now = now.plus(Duration.ofMinutes(1));
        assertThat(decide(EventNotice.ofNode(true, "R", "of the node"))).isPresent();
    }

    @Test
    void aThousandPodsThatAreWellLeaveRoomForTheOneThatIsNot() {
        for (int i = 0; i < 1_000; i++) {
            decide(EventNotice.ofPod(
                    new PodRef("default", "web-" + i), "u" + i, false, "AllocIPSucceed", "it has one"));
        }
        assertThat(decide(notice("no address"))).isPresent();
    }

    @Test
    void aMessageThatDiffersInTimesAndRequestIdsAloneIsTheSame() {
        decide(notice("blocked since 03:04:05 UTC by 1f0c9b5e-7c1d-4f33-9a70-1f6f3c9e2b11; the next try is in 4.9 s"));
        assertThat(
                        decide(
                                notice(
                                        "blocked since 04:00:00 UTC by 7a0c9b5e-7c1d-4f33-9a70-1f6f3c9e2b22; the next try is in 870 ms")))
                .map(Decision::fresh)
                .contains(false);
        assertThat(decide(notice("address 10.0.0.5 was lost")))
                .map(Decision::fresh)
                .contains(true);
        assertThat(decide(notice("address 10.0.0.6 was lost")))
                .map(Decision::fresh)
                .contains(true);
    }

    @Test
    void whatWasNotToldForWantOfRoomIsAnEventOfItsOwnOnceThereIsSome() {
        for (int i = 0; i < EventCorrelator.BURST; i++) {
            decide(notice("failure " + i));
        }
        assertThat(decide(notice("the one that counts"))).isEmpty();
        now = now.plus(EventCorrelator.REFILL);
        assertThat(decide(notice("the one that counts"))).map(Decision::fresh).contains(true);
    }

    @Test
    void aClockThatJumpsEightHoursChangesNothingButTheDates() {
        for (Duration jump : List.of(Duration.ofHours(8), Duration.ofHours(-8))) {
            EventCorrelator jumping = new EventCorrelator();
            EventCorrelator steady = new EventCorrelator();
            for (int i = 0; i < 2_000; i++) {
                now = now.plusMillis(700);
                Instant date = i < 500 ? now : now.plus(jump);
                EventNotice notice = notice("failure " + i % 90);
                boolean told =
                        jumping.decide(notice, date, nanos(), () -> "event").isPresent();
                assertThat(told)
                        .as("notice %s", i)
                        .isEqualTo(steady.decide(notice, now, nanos(), () -> "event")
                                .isPresent());
            }
        }
    }

    private Optional<Decision> decide(EventNotice notice) {
        return correlator.decide(notice, now, nanos(), () -> "event-" + ++names);
    }

    private long nanos() {
        return Duration.between(START, now).toNanos();
    }

    private static EventNotice notice(String message) {
        return EventNotice.ofPod(WEB, "u1", true, "AllocIPFailed", message);
    }
}
