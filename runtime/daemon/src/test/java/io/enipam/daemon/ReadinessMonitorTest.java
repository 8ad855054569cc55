package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.KernelDatapath.DatapathConfig;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecordStore;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.engine.PendingWork;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.Scheduler;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.observability.history.Meters.FailedAdds;
import io.enipam.observability.web.Page.Checks;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Health, probes and log of a node on which no ADD can work, though engine and database are well. */
class ReadinessMonitorTest {
    @TempDir
    Path directory;

    private final FakeEngine engine = new FakeEngine(3);
    private final List<Boolean> health = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private Optional<String> obstacle = Optional.empty();
    private Optional<String> failing = Optional.empty();
    private int explained;

    @AutoClose
    private NodeDatapath kernel;

    private ReadinessMonitor readiness;

    @BeforeEach
    void open() {
        kernel = new NodeDatapath(
                directory.resolve("s"),
                directory.resolve("c"),
                KernelDatapath.open(
                        new DatapathConfig(directory.resolve("a"), new Nowhere(), Sysctls.USUAL, Optional.empty())),
                () -> obstacle);
        readiness = new ReadinessMonitor(
                new Troubles(
                        engine,
                        new FakeDb(),
                        kernel,
                        Optional::empty,
                        () -> failing.map(why -> new FailedAdds.Series(FakeEngine.AT, true, why)),
                        false,
                        List::of,
                        Optional.of(Troubles.Node.ALONE)),
                health::add,
                (severity, type, subject, message, attributes) -> events.add(severity + " " + type + ": " + message),
                () -> explained++);
        readiness.update();
        assertThat(health).as("the engine does not serve yet").isEmpty();
        engine.start().join();
        readiness.update();
        assertThat(health).containsExactly(true);
    }

    @Test
    void aKernelThatCannotBeChangedIsToldOnceAndSoIsItsMend() {
        obstacle = Optional.of("no iproute2");
        readiness.update();
        readiness.update();
        assertThat(health).containsExactly(true, false);
        assertThat(failed())
                .containsExactly("kernel: this daemon can connect no pods: no iproute2, since " + FakeEngine.AT);
        assertThat(events)
                .containsExactly("ERROR KernelUnusable: this daemon can connect no pods: no iproute2; until then no pod"
                        + " starts on this node");

        obstacle = Optional.empty();
        readiness.update();
        assertThat(health).containsExactly(true, false, true);
        assertThat(failed()).isEmpty();
        assertThat(events).last().isEqualTo("INFO KernelUsable: pods can be connected again");
    }

    @Test
    void addsThatAllFailAreToldOnceAndSoIsTheEndOfThat() {
        failing = Optional.of("every ADD of the last 70 s failed");
        readiness.update();
        readiness.update();
        assertThat(failed()).containsExactly("adds: every ADD of the last 70 s failed, since " + FakeEngine.AT);
        failing = Optional.empty();
        readiness.update();
        assertThat(health).containsExactly(true, false, true);
        assertThat(events).hasSize(2).first().isEqualTo("ERROR AddsFailing: every ADD of the last 70 s failed");
    }

    @Test
    void whatMakesNoNodeUnreadyIsToldAndFailsNoProbe() {
        engine.plan(new PendingWork(
                FakeEngine.AT,
                Set.of(),
                List.of(),
                List.of(),
                Optional.of(new PoolView.RetryState(
                        3,
                        ErrorKind.THROTTLED,
                        "Throttling.User",
                        FakeEngine.AT,
                        FakeEngine.AT.plusSeconds(9),
                        FakeEngine.AT.minusSeconds(5))),
                Map.of(),
                PendingWork.NextRuns.NONE));

        assertThat(failed())
                .containsExactly("supply: no address is idle, and none can be made: Throttling.User, since "
                        + FakeEngine.AT.minusSeconds(5));
        assertThat(readiness.parts()).noneMatch(Checks.Part::fails);
        readiness.update();
        assertThat(health).containsExactly(true);
    }

    @Test
    void addsThatFailedBecauseOfTheKernelDoNotCountOnceItIsMended() {
        int before = explained;
        failing = Optional.of("every ADD of the last 70 s failed");
        readiness.update();
        assertThat(explained).isEqualTo(before);
        obstacle = Optional.of("no iproute2");
        readiness.update();
        assertThat(explained).isEqualTo(before + 1);
    }

    @Test
    void aDaemonThatStopsIsNotReadyAnyMoreWhateverElseIsWell() {
        readiness.stop();
        readiness.update();
        assertThat(health).containsExactly(true, false);
        assertThat(failed()).containsExactly("shutdown: the daemon stops");
    }

    @Test
    void theConnectionOfAPodWhoseLeaseIsNotRecoveredYetIsNotMendedAway() {
        OwnerKey owner = new OwnerKey("enipam", "c-1", "eth0");
        new AttachmentRecordStore(directory.resolve("connected")).write(record(owner));
        List<Runnable> later = new CopyOnWriteArrayList<>();
        try (NodeDatapath connected = new NodeDatapath(
                directory.resolve("s"),
                directory.resolve("c"),
                KernelDatapath.open(new DatapathConfig(
                        directory.resolve("connected"), new Nowhere(), Sysctls.USUAL, Optional.empty())),
                Optional::empty)) {
            new KernelProbes(connected, new FakeDb(), new FakeEngine(3)).repairSoon(keeping(later));
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(later).as("another look").hasSize(1));
            assertThat(connected.real().orElseThrow().hasConnected(owner)).isTrue();
        }
    }

    private static Scheduler keeping(List<Runnable> later) {
        return new Scheduler() {
            @Override
            public void execute(Runnable task) {
                later.add(task);
            }

            @Override
            public Cancellable after(Duration delay, Runnable task) {
                later.add(task);
                return () -> later.remove(task);
            }
        };
    }

    private static AttachmentRecord record(OwnerKey owner) {
        return new AttachmentRecord(
                new AttachmentRecord.Sandbox(owner.toString(), "default", "web-0", "u-1"),
                "veth",
                new AttachmentRecord.Ends(
                        "/run/netns/enipam-no-such", "calitest0", "02:00:00:00:00:01", "02:00:00:00:00:02", 1500),
                List.of(new AttachmentRecord.PodAddress("10.0.0.7", 24, "10.0.0.1")),
                new AttachmentRecord.Eni("02:00:00:00:00:03", 1001),
                new AttachmentRecord.Bandwidth(0, 0, new AttachmentRecord.Limits(0, 0)),
                List.of(),
                Map.of());
    }

    private List<String> failed() {
        return readiness.parts().stream()
                .filter(part -> part.trouble().isPresent())
                .map((Checks.Part part) -> part.name() + ": " + part.trouble().orElseThrow())
                .toList();
    }

    private static final class Nowhere implements NodeNetwork {
        @Override
        public Optional<InetAddress> address(Family family) {
            return Optional.empty();
        }

        @Override
        public List<String> serviceCidrs() {
            return List.of();
        }
    }
}
