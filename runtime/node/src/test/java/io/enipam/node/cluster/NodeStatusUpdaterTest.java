package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.Event;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.events.EventRing;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.node.NodeStatusWriter;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.node.cluster.NodeStatusUpdater.NodeAvailability;
import io.enipam.node.cluster.NodeStatusUpdater.NodeAvailability.AddressAvailability;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeStatusUpdaterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofSeconds(5);

    private final FakeApiServer server = new FakeApiServer();
    private final AtomicInteger requests = new AtomicInteger();
    private final ApiServerClient calls = server.calls((request, code) -> requests.incrementAndGet());
    private final VirtualTime time = new VirtualTime();
    private final EventRing events = new EventRing(time, Runnable::run);
    private volatile Optional<NodeAvailability> outlook = Optional.of(says(true, 30));
    private final NodeStatusUpdater witness = new NodeStatusUpdater(
            () -> outlook, new NodeStatusWriter(calls, time, "node-1"), time, events, new SplittableRandom(1));

    @AfterEach
    void close() {
        calls.close();
        server.close();
    }

    @Test
    void aNodeThatNothingHappensToCostsThreeRequestsAtItsStartAndADozenAnHour() {
        makeNode();
        look(Duration.ofSeconds(20));
        assertThat(status()).isEqualTo("True");
        assertThat(capacity()).isEqualTo("30");
        assertThat(requests).hasValue(3);

        look(Duration.ofHours(1));

        assertThat(requests.get() - 3).isBetween(10, 15);
    }

    @Test
    void afterARestartTheConditionHasBeenSoAsLongAsBefore() {
        makeNode();
        look(Duration.ofSeconds(20));
        String since = condition().orElseThrow().getLastTransitionTime();
        time.advance(Duration.ofMinutes(30));
        NodeStatusUpdater next = new NodeStatusUpdater(
                () -> outlook, new NodeStatusWriter(calls, time, "node-1"), time, events, new SplittableRandom(2));
        int before = requests.get();
        look(next, Duration.ofSeconds(20));
        assertThat(condition().orElseThrow().getLastTransitionTime()).isEqualTo(since);
        assertThat(requests.get() - before).as("it is asked, and beats").isEqualTo(2);
    }

    @Test
    void aNodeThatGoesToAndFroTellsOnceAMinuteAtMost() {
        makeNode();
        look(Duration.ofSeconds(20));
        int before = requests.get();
        for (int i = 0; i < 40; i++) {
            outlook = Optional.of(says(i % 2 == 0, 30 + i % 3));
            look(Duration.ofSeconds(15));
        }
        assertThat(requests.get() - before).as("in ten minutes, both kinds").isBetween(2, 22);
    }

    @Test
    void aNodeThatWasDeletedAndMadeAnewHearsItAllAgain() {
        makeNode();
        look(Duration.ofSeconds(20));
        server.client().nodes().withName("node-1").delete();
        look(Duration.ofMinutes(20));
        makeNode();
        look(Duration.ofMinutes(7));
        assertThat(status()).isEqualTo("True");
        assertThat(capacity()).isEqualTo("30");
    }

    @Test
    void aDaemonThatMayNotTellSaysSoOnceAsksSeldomAndGoesOn() {
        makeNode();
        server.answers(line -> Optional.of(FakeApiServer.refusal(403, "Forbidden", "nodes is forbidden")));
        look(Duration.ofHours(1));
        assertThat(requests.get()).isBetween(12, 24);
        assertThat(told("NodeNotTold")).isEqualTo(1);
        server.answers(line -> Optional.empty());
        look(Duration.ofMinutes(7));
        assertThat(status()).isEqualTo("True");
        assertThat(told("NodeTold")).isEqualTo(1);
    }

    @Test
    void aClockThatIsSetByEightHoursFreezesNoConditionAndHurriesNone() {
        makeNode();
        look(Duration.ofSeconds(90));
        for (Duration jump : List.of(Duration.ofHours(-8), Duration.ofHours(8))) {
            outlook = Optional.of(says(true, 30));
            look(Duration.ofMinutes(6));
            int before = requests.get();
            time.setClock(jump);
            outlook = Optional.of(says(false, 30));
            look(Duration.ofSeconds(5));
            assertThat(status()).as("it has not held for ten seconds").isEqualTo("True");
            look(Duration.ofSeconds(15));
            assertThat(status()).isEqualTo("False");
            assertThat(requests.get() - before).as("it is told once").isBetween(1, 2);

            look(Duration.ofHours(1));
            assertThat(requests.get() - before)
                    .as("and beats every five minutes")
                    .isBetween(10, 17);
        }
    }

    @Test
    void aDaemonThatHasJustStartedSaysNothingYet() {
        makeNode();
        outlook = Optional.empty();
        look(Duration.ofMinutes(1));
        assertThat(requests).hasValue(0);
    }

    private static NodeAvailability says(boolean sufficient, int capacity) {
        return new NodeAvailability(new AddressAvailability(sufficient, "because"), OptionalInt.of(capacity));
    }

    private void look(Duration during) {
        look(witness, during);
    }

    /** Looks every few seconds, and waits for the answer each time. */
    private void look(NodeStatusUpdater looking, Duration during) {
        for (Duration gone = Duration.ZERO; gone.compareTo(during) < 0; gone = gone.plus(LOOK)) {
            looking.sync();
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(PATIENCE)
                    .until(() -> !looking.isLooking());
            time.advance(LOOK);
        }
    }

    private void makeNode() {
        server.client().resource(Manifests.node("node-1").build()).create();
    }

    private Node node() {
        return server.client().nodes().withName("node-1").get();
    }

    private Optional<NodeCondition> condition() {
        return node().getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("SufficientIP"))
                .findFirst();
    }

    private String status() {
        return condition().map(NodeCondition::getStatus).orElse("not told");
    }

    private String capacity() {
        return Optional.ofNullable(node().getMetadata().getAnnotations())
                .map(annotations -> annotations.get("k8s.aliyun.com/max-available-ip"))
                .orElse("not told");
    }

    private long told(String type) {
        return events.after(0).stream().map(Event::type).filter(type::equals).count();
    }
}
