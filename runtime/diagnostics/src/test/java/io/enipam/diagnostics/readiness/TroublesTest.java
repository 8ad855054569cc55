package io.enipam.diagnostics.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.diagnostics.readiness.Trouble.Cause;
import io.enipam.engine.PendingWork;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.EniDirectory.Eni;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.observability.history.Meters.FailedAdds;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One trouble a cause, with the time at which it began and the pods that it is about. */
class TroublesTest {
    private static final Instant NOW = FakeEngine.AT;

    @TempDir
    Path directory;

    private final FakeEngine engine = new FakeEngine(20);
    private List<Eni> enis = List.of();
    private Optional<Set<PodRef>> pods = Optional.empty();
    private Optional<FailedAdds.Series> failing = Optional.empty();
    private List<String> config = List.of();
    private Troubles troubles;

    @BeforeEach
    void open() {
        troubles = new Troubles(
                engine,
                new FakeDb(),
                new NodeDatapath(directory.resolve("s"), directory.resolve("c"), "not here"),
                Optional::empty,
                () -> failing,
                true,
                () -> config,
                Optional.of(new Troubles.Node(() -> enis, Optional.empty(), () -> pods)));
        engine.start().join();
        engine.put(ResourceState.IDLE, NOW);
    }

    private void add(String pod) {
        engine.add(new AddCommand(
                        new OwnerKey("net", pod, "eth0"),
                        PodRef.parse("default/" + pod),
                        LinkRequest.simulated(),
                        Duration.ofSeconds(1),
                        "test"))
                .join();
    }

    private static Eni eni(String state, Instant since) {
        return new Eni(
                "eni-1",
                "",
                state,
                "vsw",
                10,
                new EniAddresses("10.0.0.1", List.of("10.0.0.1/24"), List.of()),
                0,
                since);
    }

    private void at(Instant now, Optional<RetryState> failure) {
        engine.plan(new PendingWork(now, Set.of(), List.of(), List.of(), failure, Map.of(), PendingWork.NextRuns.NONE));
    }

    @Test
    void aNodeInOrderHasNone() {
        add("a");
        enis = List.of(eni("InUse", NOW));

        assertThat(troubles.find().troubles()).isEmpty();
        assertThat(troubles.find().code()).isZero();
    }

    @Test
    void anEniThatIsOffTheNodeIsOneTroubleAlsoWhileThePoolHasItsAddressesInUse() {
        for (int i = 1; i <= 9; i++) {
            add("p" + i);
        }
        enis = List.of(eni("Lost", NOW.minusSeconds(70)));

        assertThat(troubles.find().troubles()).singleElement().satisfies(trouble -> {
            assertThat(trouble.cause()).isEqualTo(Cause.ENI_LOST);
            assertThat(trouble.severity()).isEqualTo("CRITICAL");
            assertThat(trouble.text())
                    .isEqualTo("ENI eni-1 was detached by another: 9 pods without network"
                            + " (default/p1, default/p2, default/p3 and 6 more)");
            assertThat(trouble.since()).as("of the ENI, not of a lease").isEqualTo(NOW.minusSeconds(70));
            assertThat(trouble.lost()).hasSize(9);
            assertThat(trouble.enis()).containsExactly("eni-1");
        });
        assertThat(troubles.find().code()).as("ADDs are served").isZero();
    }

    @Test
    void addressesThatTheCloudTookOffAnEniThatIsThereAndOffOneThatIsGoneAreToldApart() {
        add("a");
        engine.loseWhatIsLent();
        enis = List.of(eni("InUse", NOW));
        assertThat(troubles.find().troubles())
                .extracting(Trouble::text)
                .containsExactly("the cloud took 10.0.0.3 off ENI eni-1: 1 pod without network (default/a)");

        enis = List.of();
        assertThat(troubles.find().troubles()).singleElement().satisfies(trouble -> {
            assertThat(trouble.cause()).isEqualTo(Cause.ENI_LOST);
            assertThat(trouble.text()).startsWith("ENI eni-1 is gone from this node");
        });
    }

    @Test
    void withTheFirstFailureOfACreateNoAddCanBeServedIfNothingIsIdleAndThatIsCriticalAtOnce() {
        FakeEngine empty = new FakeEngine(20);
        empty.start().join();
        empty.plan(new PendingWork(
                NOW,
                Set.of(),
                List.of(),
                List.of(),
                Optional.of(new RetryState(
                        1, ErrorKind.THROTTLED, "Throttling.User", NOW, NOW.plusSeconds(1), NOW.minusSeconds(1))),
                Map.of(),
                PendingWork.NextRuns.NONE));
        Troubles found = new Troubles(
                empty,
                new FakeDb(),
                new NodeDatapath(directory.resolve("s2"), directory.resolve("c2"), "not here"),
                Optional::empty,
                Optional::empty,
                true,
                List::of,
                Optional.of(Troubles.Node.ALONE));

        assertThat(found.find().troubles()).singleElement().satisfies(trouble -> {
            assertThat(trouble.cause()).isEqualTo(Cause.SUPPLY);
            assertThat(trouble.critical()).isTrue();
            assertThat(trouble.since()).isEqualTo(NOW.minusSeconds(1));
        });
        assertThat(found.find().code()).isEqualTo(50);
        assertThat(found.find().broken()).as("its pods are served").isEmpty();
    }

    @Test
    void aTroubleWhoseTimeNobodyKnowsHasTheOneAtWhichItWasFirstSeenUntilItIsOver() {
        config = List.of("the ConfigMap is not followed");
        troubles.find();
        at(NOW.plusSeconds(10), Optional.empty());
        assertThat(troubles.find().of(Cause.CONFIG).map(Trouble::since)).contains(NOW);

        config = List.of();
        troubles.find();
        config = List.of("the ConfigMap is not followed");
        assertThat(troubles.find().of(Cause.CONFIG).map(Trouble::since)).contains(NOW.plusSeconds(10));
    }

    @Test
    void aPodThatIsGoneIsALeakOnceItsDelHasHadItsTime() {
        add("a");
        pods = Optional.of(Set.of());
        assertThat(troubles.find().troubles())
                .as("its ADD may be ahead of the list")
                .isEmpty();

        at(NOW.plusSeconds(31), Optional.empty());
        assertThat(troubles.find().troubles()).as("its DEL may be on its way").isEmpty();
        at(NOW.plusSeconds(62), Optional.empty());

        assertThat(troubles.find().troubles()).singleElement().satisfies(trouble -> {
            assertThat(trouble.cause()).isEqualTo(Cause.LEASE_LEAKED);
            assertThat(trouble.severity()).isEqualTo("WARN");
            assertThat(trouble.pods()).containsExactly("default/a");
            assertThat(trouble.lost()).isEmpty();
        });
    }

    @Test
    void addsThatAllFailAreCriticalInTheFirstMinuteAndKeepTheNodeReady() {
        failing = Optional.of(new FailedAdds.Series(NOW.minusSeconds(4), false, "every ADD of the last 4 s failed"));

        assertThat(troubles.find().troubles()).singleElement().satisfies(trouble -> {
            assertThat(trouble.cause()).isEqualTo(Cause.ADDS_FAILING);
            assertThat(trouble.critical()).isTrue();
            assertThat(trouble.since()).isEqualTo(NOW.minusSeconds(4));
        });
        assertThat(troubles.find().broken()).isEmpty();
        assertThat(troubles.find().code()).as("the runtime goes on asking").isZero();
    }

    @Test
    void theCriticalOnesComeFirst() {
        config = List.of("the ConfigMap is not followed");
        failing = Optional.of(new FailedAdds.Series(NOW, true, "every ADD of the last 70 s failed"));

        assertThat(troubles.find().troubles()).extracting(Trouble::cause).containsExactly(Cause.ADDS, Cause.CONFIG);
    }
}
