package io.enipam.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PodStoreTest {
    private final VirtualTime time = new VirtualTime();
    private final MemoryDb db = new MemoryDb(time, () -> Duration.ZERO);
    private Duration clockOff = Duration.ZERO;
    private final TimeSource clock = new TimeSource() {
        @Override
        public Instant now() {
            return time.now().plus(clockOff);
        }

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }
    };
    private PodStore store = new PodStore(clock, db);

    private static Pod pod(String name) {
        return new Pod(PodRef.parse("default/" + name), "uid-" + name, false, Duration.ofMinutes(5));
    }

    private void restart() {
        store = new PodStore(clock, db);
        store.restore(db.contents().pods());
    }

    private void tidy() {
        store.purgeExpired();
        time.settle();
    }

    private Optional<PodCopy> copy(String name) {
        return store.find(pod(name).ref());
    }

    @Test
    void aCopyIsKeptOneHourAfterItsPodIsGoneWhateverRestartsLieBetween() {
        store.listed(List.of(pod("a")));
        store.listed(List.of());
        tidy();
        time.advance(Duration.ofMinutes(40));

        restart();
        tidy();
        assertThat(copy("a")).isPresent();

        time.advance(Duration.ofMinutes(20));
        assertThat(copy("a")).isEmpty();
        tidy();
        assertThat(db.contents().pods()).isEmpty();
        restart();
        assertThat(store.all()).isEmpty();
    }

    @Test
    void aClockThatGoesBackADayKeepsNoCopyForMoreThanAnHour() {
        store.listed(List.of(pod("a")));
        store.listed(List.of());
        tidy();

        clockOff = Duration.ofDays(-1);
        restart();
        tidy();
        restart();
        time.advance(Duration.ofMinutes(59));
        assertThat(copy("a")).isPresent();
        time.advance(Duration.ofMinutes(2));
        tidy();

        assertThat(db.contents().pods()).isEmpty();
    }

    @Test
    void aPodThatComesBackIsKept() {
        store.listed(List.of(pod("a")));
        store.gone(pod("a").ref());
        time.advance(Duration.ofMinutes(30));

        store.listed(List.of(pod("a")));
        tidy();
        time.advance(Duration.ofHours(5));
        tidy();

        assertThat(copy("a").orElseThrow().expires()).isEmpty();
    }

    @Test
    void whereNobodyKnowsThePodsACopyIsKeptAsLongAsItsPodHasALease() {
        store.listed(List.of(pod("a"), pod("b")));
        Resource resource = new Resource(
                new ResourceId("eni-1/10.0.0.1"),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.0.0.1/24")),
                "eni-1",
                Map.of());
        Lease lease =
                new Lease(new OwnerKey("net", "c-a", "eth0"), pod("a").ref(), "", resource, Duration.ZERO, time.now());

        store.leased(List.of(lease));
        time.advance(Duration.ofMinutes(61));
        assertThat(copy("b")).isEmpty();
        assertThat(copy("a").orElseThrow().expires()).isEmpty();

        store.leased(List.of());
        assertThat(copy("a").orElseThrow().expires()).isPresent();
        store.leased(List.of(lease));
        assertThat(copy("a").orElseThrow().expires()).isEmpty();
    }

    @Test
    void goneTwiceIsGoneSinceTheFirstTime() {
        store.listed(List.of(pod("a")));
        store.listed(List.of());
        time.advance(Duration.ofMinutes(30));
        store.listed(List.of());
        store.gone(pod("a").ref());
        time.advance(Duration.ofMinutes(31));

        assertThat(copy("a")).isEmpty();
    }

    @Test
    void aFinishedPodIsOnItsWayOutThoughItIsListed() {
        Pod done = new Pod(pod("a").ref(), "uid-a", true, Duration.ZERO);
        store.listed(List.of(done));
        time.advance(Duration.ofMinutes(30));
        store.listed(List.of(done));
        time.advance(Duration.ofMinutes(31));

        assertThat(copy("a")).isEmpty();
    }

    @Test
    void whatWasWrittenWithALeaseIsNotWrittenAgainForAWhile() {
        Change.PutPod change = store.seen(pod("a")).orElseThrow();
        store.written(change);

        assertThat(store.seen(pod("a"))).isEmpty();
        tidy();
        assertThat(db.commits()).isZero();

        time.advance(Duration.ofMinutes(11));
        assertThat(store.seen(pod("a"))).isPresent();
    }

    @Test
    void whatACommitLostIsWrittenByTheNextTidy() {
        assertThat(store.seen(pod("a"))).isPresent();
        db.broken(true);
        tidy();
        assertThat(db.contents().pods()).isEmpty();

        db.broken(false);
        tidy();

        assertThat(db.contents().pods())
                .singleElement()
                .satisfies(copy -> assertThat(copy.pod()).isEqualTo(pod("a")));
    }

    @Test
    void thereAreNeverMoreThanTheBoundAndThoseOfGonePodsGoFirst() {
        store.listed(
                IntStream.range(0, PodStore.MOST).mapToObj(i -> pod("old-" + i)).toList());
        store.gone(pod("old-7").ref());
        time.advance(Duration.ofSeconds(1));
        store.seen(pod("new"));
        tidy();

        assertThat(store.all()).hasSize(PodStore.MOST);
        assertThat(db.contents().pods()).hasSize(PodStore.MOST);
        assertThat(copy("old-7")).isEmpty();
        assertThat(copy("new")).isPresent();
    }
}
