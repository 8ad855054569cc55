package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.engine.simulation.MemoryDb;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods that go with no DEL, in virtual time: how soon their address is back, and whose never is. */
class PodDeletionGcTriggerTest {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final PodRef WEB = PodRef.parse("default/web-0");

    private final VirtualTime time = new VirtualTime();
    private final MemoryPods pods = new MemoryPods();
    private final MemoryDatapath kernel = new MemoryDatapath();
    private final RecordedEvents events = new RecordedEvents(time);
    private final NodeIpam engine = new NodeIpam(
            EngineConfig.defaults(),
            new EnginePorts(
                    new EngineContext(
                            time, time, new SplittableRandom(1), new MemoryDb(time, () -> Duration.ZERO), events),
                    pods,
                    kernel,
                    FactorySet.of(new NamedFactory("cloud", MemoryFactory.instant(time, 10))),
                    new DirectPolicy(new WatermarkPolicy(), events)));
    private final PodDeletionGcTrigger collector = new PodDeletionGcTrigger(() -> engine, time);

    @BeforeEach
    void start() {
        engine.start();
        time.advance(Duration.ofSeconds(1));
    }

    @Test
    void aLeaseOfAnOutageHasItsUidWithinSecondsAfterThePodIsSeenWithItsAddress() {
        pods.down(true);
        CompletableFuture<AddOutcome> add =
                engine.add(new AddCommand(new OwnerKey("enipam", "c-outage", "eth0"), WEB, TEN_SECONDS));
        time.advance(Duration.ofSeconds(1));
        Lease lease = add.join().lease();
        pods.put(WEB.toString());
        pods.down(false);
        collector.podSeen(pods.put(WEB.toString()));
        time.advance(TEN_SECONDS);
        assertThat(engine.leases()).extracting(Lease::podUid).containsExactly("");

        pods.addressed(
                WEB.toString(),
                lease.resource().addresses().stream().map(Address::ip).toList());
        collector.podSeen(pods.find(WEB).toCompletableFuture().join().orElseThrow());
        time.advance(TEN_SECONDS);

        assertThat(engine.leases()).extracting(Lease::podUid).containsExactly("uid-of-default/web-0");
    }

    @Test
    void aPodDeletedByForceGivesItsAddressBackWithinTenSecondsAndNobodyElses() {
        add("default/web-0", "c-0");
        add("default/web-1", "c-1");
        delete("default/web-0");

        time.advance(TEN_SECONDS);

        assertThat(containers()).containsExactly("c-1");
        assertThat(kernel.connected()).hasSize(1);
    }

    @Test
    void aPodThatLivesKeepsItsAddressThoughTheWatchHasLostSightOfIt() {
        pods.freezeList();
        add("default/web-0", "c-0");

        collector.podDeleted(WEB);
        time.advance(Duration.ofMinutes(10));

        assertThat(containers()).containsExactly("c-0");
    }

    @Test
    void itsSuccessorOfTheSameNameKeepsItsOwnAddressAndTheDeadOneDoesNot() {
        pods.put("default/web-0", "uid-1", false, Duration.ZERO);
        add("c-dead");
        pods.put("default/web-0", "uid-2", false, Duration.ZERO);
        add("c-alive");
        collector.podDeleted(WEB);

        time.advance(TEN_SECONDS);

        assertThat(engine.leases()).singleElement().satisfies(lease -> {
            assertThat(lease.owner().containerId()).isEqualTo("c-alive");
            assertThat(lease.podUid()).isEqualTo("uid-2");
        });
    }

    @Test
    void whileTheApiServerAnswers500OrNothingToTheRecheckNothingIsCollectedAndItIsTriedAgain() {
        add("default/web-0", "c-0");
        pods.mute(true);
        delete("default/web-0");
        time.advance(Duration.ofMinutes(4));
        assertThat(containers()).as("nobody said for certain that it is gone").containsExactly("c-0");

        pods.mute(false);
        time.advance(Duration.ofMinutes(2));

        assertThat(containers()).as("tried again before the usual five minutes").isEmpty();
    }

    @Test
    void aShortTroubleOfTheApiServerCostsSeconds() {
        add("default/web-0", "c-0");
        pods.down(true);
        delete("default/web-0");
        time.advance(Duration.ofSeconds(5));
        assertThat(containers()).containsExactly("c-0");

        pods.down(false);
        time.advance(Duration.ofSeconds(5));

        assertThat(containers()).isEmpty();
    }

    @Test
    void aPodDeletedWhileItsAddIsUnderWayLeavesNoLeaseBehind() {
        pods.put("default/web-0");
        CompletableFuture<Void> slow = kernel.holdSetUps();
        CompletableFuture<AddOutcome> add = adding("default/web-0", "c-0");
        delete("default/web-0");
        time.advance(Duration.ofSeconds(3));
        slow.complete(null);
        time.settle();
        assertThat(add).isCompleted();

        time.advance(TEN_SECONDS);

        assertThat(containers()).isEmpty();
        assertThat(kernel.connected()).isEmpty();
    }

    @Test
    void tenDeletionsAtOnceAreOneCollection() {
        for (int i = 0; i < 10; i++) {
            add("default/many-" + i, "c-" + i);
        }
        for (int i = 0; i < 10; i++) {
            delete("default/many-" + i);
        }

        time.advance(TEN_SECONDS);

        assertThat(containers()).isEmpty();
        assertThat(events.types()).filteredOn("GcFinished"::equals).hasSize(1);
    }

    @Test
    void aLeaseThatCannotBeEndedDoesNotDelayTheNextPodsDeletion() {
        add("default/web-0", "c-0");
        add("default/web-1", "c-1");
        kernel.failTearDown(true);
        delete("default/web-0");
        time.advance(Duration.ofMinutes(11));
        assertThat(containers()).hasSize(2);

        kernel.failTearDown(false);
        delete("default/web-1");
        time.advance(TEN_SECONDS);

        assertThat(containers()).isEmpty();
    }

    @Test
    void whatCouldNotBeEndedIsTriedEverMoreSeldom() {
        add("default/web-0", "c-0");
        kernel.failTearDown(true);
        delete("default/web-0");
        time.advance(Duration.ofHours(1));
        assertThat(events.types().stream().filter("GcFinished"::equals).count())
                .as("twelve by the clock, and one every two minutes at most")
                .isBetween(20L, 50L);
    }

    private void delete(String pod) {
        pods.remove(pod);
        collector.podDeleted(PodRef.parse(pod));
    }

    private void add(String pod, String container) {
        pods.put(pod);
        assertThat(adding(pod, container)).isCompleted();
    }

    /** Adds the pod that there is. */
    private void add(String container) {
        assertThat(adding(WEB.toString(), container)).isCompleted();
    }

    private CompletableFuture<AddOutcome> adding(String pod, String container) {
        CompletableFuture<AddOutcome> add = engine.add(
                new AddCommand(new OwnerKey("enipam", container, "eth0"), PodRef.parse(pod), Duration.ofSeconds(20)));
        time.settle();
        return add;
    }

    private List<String> containers() {
        return engine.leases().stream()
                .map(Lease::owner)
                .map(OwnerKey::containerId)
                .sorted()
                .toList();
    }
}
