package io.enipam.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Event;
import io.enipam.events.EventRing.EventFollower;
import io.enipam.platform.SystemTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EventRingTest {
    private final List<Runnable> wakes = new ArrayList<>();
    private final EventRing ring = new EventRing(new SystemTime(), wakes::add);

    @Test
    void aRunGoesOnBehindTheEventsOfTheFormerOneAndHandsItsOwnToTheirKeeper() {
        List<Event> kept = new ArrayList<>();
        EventRing former = new EventRing(new SystemTime(), wakes::add);
        for (int i = 0; i < 5; i++) {
            former.publish(Event.Severity.INFO, "Old", "x", "", Map.of());
        }
        publish(2); // before the files are read
        Event start = new Event(0, Instant.EPOCH, Event.Severity.INFO, "DaemonStarted", "daemon", "", Map.of());
        ring.goOn("numbers", former.after(0), 100, start, kept::add);
        publish(1);

        assertThat(ring.run()).isEqualTo("numbers");
        assertThat(ring.after(0))
                .extracting(Event::sequence)
                .containsExactly(1L, 2L, 3L, 4L, 5L, 106L, 107L, 108L, 109L);
        assertThat(ring.after(5).get(0).type()).isEqualTo("DaemonStarted");
        assertThat(kept).isEqualTo(ring.after(5));
        assertThat(ring.counts().of("Old")).as("events of this run").isZero();
    }

    @Test
    void keepsTheLastEventsAndSaysWhatIsNoLongerThere() {
        publish(EventRing.SIZE + 10);

        assertThat(ring.after(0)).hasSize(EventRing.SIZE);
        List<Event> after5 = ring.after(5);
        assertThat(after5.get(0).type()).isEqualTo("EventsDropped");
        assertThat(after5.get(0).attributes()).containsEntry("count", "5");
        assertThat(after5.get(1).sequence()).isEqualTo(11);
        assertThat(ring.after(EventRing.SIZE + 9))
                .singleElement()
                .satisfies(e -> assertThat(e.sequence()).isEqualTo(EventRing.SIZE + 10));
    }

    @Test
    void aNumberOfAnEarlierRunShowsEverything() {
        publish(3);

        assertThat(ring.after(1000)).hasSize(3);
    }

    @Test
    void aFollowerSeesEachEventOnceAndInOrder() {
        publish(2);
        EventFollower follower = ring.follow(0, () -> {});
        publish(2);

        assertThat(sequences(follower.take(100))).containsExactly(1L, 2L, 3L, 4L);
        assertThat(follower.take(100)).isEmpty();
    }

    @Test
    void aSlowFollowerIsToldHowManyEventsItMissedAndTheOthersMissNone() {
        EventFollower slow = ring.follow(0, () -> {});
        EventFollower quick = ring.follow(0, () -> {});
        for (int i = 0; i < EventFollower.QUEUE + 7; i++) {
            publish(1);
            assertThat(quick.take(10)).hasSize(1);
        }

        List<Event> taken = slow.take(EventFollower.QUEUE + 100);

        assertThat(taken).hasSize(EventFollower.QUEUE + 1);
        Event gap = taken.get(EventFollower.QUEUE);
        assertThat(gap.type()).isEqualTo("EventsDropped");
        assertThat(gap.attributes()).containsEntry("count", "7");
        publish(1);
        assertThat(sequences(slow.take(10))).containsExactly(EventFollower.QUEUE + 8L);
    }

    @Test
    void aFollowerIsWokenOnceUntilItTakes() {
        EventFollower follower = ring.follow(0, () -> {});
        publish(5);
        assertThat(wakes).hasSize(1);
        follower.take(100);
        publish(1);
        assertThat(wakes).hasSize(2);
    }

    @Test
    void aFollowerThatLeftGetsNothingMore() {
        EventFollower follower = ring.follow(0, () -> {});
        follower.close();
        publish(1);

        assertThat(follower.take(10)).isEmpty();
    }

    @Test
    void closingEndsFollowersOnceTheyHaveTakenWhatWasThere() {
        EventFollower follower = ring.follow(0, () -> {});
        publish(1);
        ring.close();

        assertThat(follower.finished()).isFalse();
        follower.take(10);
        assertThat(follower.finished()).isTrue();
        EventFollower late = ring.follow(1, () -> {});
        assertThat(late.finished()).isTrue();
    }

    private void publish(int count) {
        for (int i = 0; i < count; i++) {
            ring.info("Tick", "test", "tick");
        }
    }

    private static List<Long> sequences(List<Event> events) {
        return events.stream().map(Event::sequence).toList();
    }
}
