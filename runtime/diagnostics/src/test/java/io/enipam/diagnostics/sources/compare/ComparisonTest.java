package io.enipam.diagnostics.sources.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.diagnostics.sources.NodeSources;
import io.enipam.diagnostics.sources.NodeSources.CloudAnswer;
import io.enipam.diagnostics.sources.NodeSources.KnownEnis;
import io.enipam.diagnostics.sources.NodeSources.PoolState;
import io.enipam.diagnostics.sources.NodeSources.Sandboxes;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.PodSource;
import io.enipam.diagnostics.sources.PodSource.KnownPods;
import io.enipam.diagnostics.sources.Source;
import io.enipam.diagnostics.sources.Sources;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.diagnostics.sources.compare.SourceComparison.Patience;
import io.enipam.diagnostics.testing.FakeSource;
import io.enipam.diagnostics.testing.FakeSources;
import io.enipam.engine.PendingWork;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.CloudInspector.CloudState;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.simulation.MemoryDatapath;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod.PodDetails;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One rule after the other, on a node that is told by hand: at first all sources agree on two pods' addresses. */
@Timeout(60)
class ComparisonTest {
    private static final Instant LONG_AGO = Instant.parse("2026-01-01T00:00:00Z");
    private static final PodRef WEB = new PodRef("default", "web-1");
    private static final OwnerKey SANDBOX = new OwnerKey("k8s-pod-network", "c1", "eth0");
    private static final Resource LENT = resource("eni-a", "10.0.1.7");
    private static final Resource IDLE = resource("eni-a", "10.0.1.8");

    @AutoClose
    private final ExecutorScheduler scheduler = new ExecutorScheduler();

    private final SystemTime time = new SystemTime();

    private List<Lease> leases = List.of(new Lease(SANDBOX, WEB, "u1", LENT, Duration.ZERO, LONG_AGO));
    private List<Hold> holds = List.of();
    private List<CloudJournal.Entry> operations = List.of();
    private List<PoolView.Entry> entries = List.of(entry(LENT, ResourceState.IN_USE), entry(IDLE, ResourceState.IDLE));
    private Set<PodRef> busy = Set.of();
    private List<EniDirectory.Eni> book = List.of(eni("eni-a", "10.0.1.7", "10.0.1.8"));
    private List<EniDirectory.Eni> bookBefore = book;
    private List<ObservedEni> cloud = List.of(seen("eni-a", "InUse", "i-1", true, "10.0.1.7", "10.0.1.8"));
    private List<Attachment> attached =
            List.of(new Attachment(SANDBOX, Optional.of(WEB), "u1", Set.of(Address.literal("10.0.1.7"))));
    private List<Pod> pods = List.of(new Pod(WEB, "u1", false, Duration.ZERO));

    @Test
    void sourcesThatAgreeDoNotDiffer() {
        assertThat(found()).isEmpty();
    }

    @Test
    void aLeaseThatThePoolDoesNotKnow() {
        entries = List.of(entry(LENT, ResourceState.IDLE), entry(IDLE, ResourceState.IDLE));

        assertThat(found()).singleElement().satisfies(difference -> {
            assertThat(difference.kind()).isEqualTo(Kind.LEASE_NOT_IN_POOL);
            assertThat(difference.what()).isEqualTo("the lease of pod default/web-1 on disk is not the pool's");
            assertThat(difference.says())
                    .containsEntry("database", "leased to pod default/web-1, container c1")
                    .containsEntry("pool", "IDLE");
        });
    }

    @Test
    void whatIsLentWithoutALease() {
        leases = List.of();
        attached = List.of();

        assertThat(found()).singleElement().satisfies(difference -> {
            assertThat(difference.kind()).isEqualTo(Kind.LENT_WITHOUT_LEASE);
            assertThat(difference.pod()).contains(WEB);
        });
    }

    @Test
    void aPodWithAnAddOrDelUnderWayIsNotJudged() {
        leases = List.of();
        attached = List.of();
        busy = Set.of(WEB);

        assertThat(found()).isEmpty();
    }

    @Test
    void aCoolDownThatARestartWouldForget() {
        entries = List.of(entry(LENT, ResourceState.IN_USE), entry(IDLE, ResourceState.COOLING));

        assertThat(found()).singleElement().satisfies(difference -> {
            assertThat(difference.kind()).isEqualTo(Kind.HOLD_DIFFERS);
            assertThat(difference.addresses()).containsExactly("10.0.1.8");
        });
    }

    @Test
    void aHoldThatEndsThisMomentIsNoDifferenceAndOneOfAnHourIs() {
        holds = List.of(new Hold(IDLE, Hold.Purpose.COOLING, WEB, time.now(), Duration.ZERO));
        assertThat(found()).isEmpty();

        holds = List.of(new Hold(IDLE, Hold.Purpose.COOLING, WEB, time.now().plusSeconds(3600), Duration.ZERO));
        assertThat(found()).singleElement().extracting(Difference::kind).isEqualTo(Kind.HOLD_DIFFERS);
    }

    @Test
    void aLeaseThatIsNotConnectedAndASandboxWithoutALease() {
        OwnerKey other = new OwnerKey("k8s-pod-network", "c2", "eth0");
        attached = List.of(new Attachment(other, Optional.empty(), "", Set.of(Address.literal("10.0.1.9"))));

        assertThat(found())
                .extracting(Difference::kind)
                .containsExactlyInAnyOrder(Kind.LEASE_NOT_CONNECTED, Kind.CONNECTED_WITHOUT_LEASE);
    }

    @Test
    void aSandboxThatIsConnectedWithAnotherAddress() {
        attached = List.of(new Attachment(SANDBOX, Optional.of(WEB), "u1", Set.of(Address.literal("10.0.1.8"))));

        assertThat(found())
                .singleElement()
                .satisfies(
                        difference -> assertThat(difference.says()).containsEntry("kernel", "connected with 10.0.1.8"));
    }

    @Test
    void aPodThatIsGoneHasFinishedOrIsAnother() {
        pods = List.of();
        assertThat(says("API server")).isEqualTo("no such pod");
        pods = List.of(new Pod(WEB, "u1", true, Duration.ZERO));
        assertThat(says("API server")).isEqualTo("the pod has finished");
        pods = List.of(new Pod(WEB, "u2", false, Duration.ZERO));
        assertThat(says("API server")).isEqualTo("another pod has the name now, uid u2");
    }

    @Test
    void aPodThatTellsAnotherAddressThanItsLease() {
        pods = List.of(new Pod(WEB, "u1", false, Duration.ZERO, List.of(Address.literal("10.0.1.99"))));

        assertThat(found()).singleElement().extracting(Difference::kind).isEqualTo(Kind.POD_TELLS_ANOTHER);
    }

    @Test
    void aPodWithAnAddressThatNobodyGaveIt() {
        Pod running =
                new Pod(PodRef.parse("default/old"), "u9", false, Duration.ZERO, List.of(Address.literal("10.9.0.1")));
        Pod atItsEnd = new Pod(
                PodRef.parse("default/leaving"), "u8", false, Duration.ZERO, List.of(Address.literal("10.9.0.2")));
        Pod starting = new Pod(PodRef.parse("default/new"), "u7", false, Duration.ZERO, List.of());
        List<Pod> all = new ArrayList<>(pods);
        all.addAll(List.of(running, atItsEnd, starting));
        KnownPods known = new KnownPods(
                all, Map.of(atItsEnd.ref(), new PodDetails("Running", "", Optional.of(LONG_AGO))), Optional.empty());

        assertThat(found(telling(known))).singleElement().satisfies(difference -> {
            assertThat(difference.kind()).isEqualTo(Kind.POD_WITHOUT_LEASE);
            assertThat(difference.what()).isEqualTo("pod default/old has an address that it did not get here");
            assertThat(difference.says()).containsEntry("API server", "the pod's address is 10.9.0.1");
        });
    }

    @Test
    void anApiServerThatIsNotHeardProvesNothing() {
        KnownPods asItWas = new KnownPods(List.of(), Map.of(), Optional.of(LONG_AGO));

        assertThat(found(telling(asItWas))).isEmpty();
        assertThat(found(telling(new KnownPods(List.of())))).isNotEmpty();
    }

    @Test
    void anAddressThatTheCloudTookOff() {
        cloud = List.of(seen("eni-a", "InUse", "i-1", true, "10.0.1.8"));

        assertThat(found()).singleElement().satisfies(difference -> {
            assertThat(difference.kind()).isEqualTo(Kind.ADDRESS_NOT_IN_CLOUD);
            assertThat(difference.what()).isEqualTo("the cloud has taken 10.0.1.7 off eni-a");
            assertThat(difference.says())
                    .containsExactly(
                            Map.entry("pool", "IN_USE by pod default/web-1"), Map.entry("cloud", "not on eni-a"));
        });
    }

    @Test
    void anAddressThatCameAMomentAgoMayBeMissingInTheCloudsList() {
        cloud = List.of(seen("eni-a", "InUse", "i-1", true, "10.0.1.7"));
        entries = List.of(
                entry(LENT, ResourceState.IN_USE),
                new PoolView.Entry(
                        IDLE, ResourceState.IDLE, time.now(), Optional.empty(), Optional.empty(), Optional.empty()));

        assertThat(found()).isEmpty();
    }

    @Test
    void whatTheDaemonHasFoundOutItselfIsNoDifference() {
        cloud = List.of(seen("eni-a", "InUse", "i-1", true, "10.0.1.8"));
        entries = List.of(entry(LENT, ResourceState.INVALID), entry(IDLE, ResourceState.IDLE));

        assertThat(found()).isEmpty();
    }

    @Test
    void anEniThatHangsOnNothing() {
        cloud = List.of(seen("eni-a", "Available", "", true, "10.0.1.7", "10.0.1.8"));

        assertThat(found()).singleElement().satisfies(difference -> {
            assertThat(difference.kind()).isEqualTo(Kind.ENI_NOT_IN_CLOUD);
            assertThat(difference.says()).containsEntry("cloud", "Available, attached to nothing");
        });
    }

    @Test
    void anAddressAndAnEniThatNobodyHereKnows() {
        cloud = List.of(
                seen("eni-a", "InUse", "i-1", true, "10.0.1.7", "10.0.1.8", "10.0.1.9"),
                seen("eni-b", "Available", "", true, "10.0.1.20"),
                seen("eni-c", "InUse", "i-1", false, "10.0.1.30"));

        assertThat(found())
                .extracting(Difference::kind, Difference::eni)
                .containsExactlyInAnyOrder(tuple(Kind.ADDRESS_UNKNOWN, "eni-a"), tuple(Kind.ENI_UNKNOWN, "eni-b"));
    }

    @Test
    void whatACallUnderWayMayHaveMadeIsLeftAlone() {
        cloud = List.of(
                seen("eni-a", "InUse", "i-1", true, "10.0.1.7", "10.0.1.8", "10.0.1.9"),
                seen("eni-b", "Available", "", true, "10.0.1.20"));
        operations = List.of(
                CloudJournal.Entry.of(new CloudOperation.Assign("eni-a", 1, 0, "t1"), LONG_AGO, 1),
                CloudJournal.Entry.of(new CloudOperation.Create("t2", "vsw-a", List.of(), Map.of(), 0), LONG_AGO, 2));

        assertThat(found()).isEmpty();
    }

    @Test
    void whatTheBookHadWhenTheCloudWasAskedIsKnown() {
        EniDirectory.Eni more = eni("eni-a", "10.0.1.7", "10.0.1.8", "10.0.1.9");
        bookBefore = List.of(more);
        cloud = List.of(seen("eni-a", "InUse", "i-1", true, "10.0.1.7", "10.0.1.8", "10.0.1.9"));

        assertThat(found()).isEmpty();
    }

    @Test
    void oneAddressInTwoPlaces() {
        OwnerKey second = new OwnerKey("k8s-pod-network", "c2", "eth0");
        Resource copy = resource("eni-b", "10.0.1.7");
        List<PoolView.Entry> more = new ArrayList<>(entries);
        more.add(new PoolView.Entry(
                copy, ResourceState.IDLE, LONG_AGO, Optional.empty(), Optional.empty(), Optional.empty()));
        entries = more;
        attached = List.of(
                attached.get(0), new Attachment(second, Optional.empty(), "", Set.of(Address.literal("10.0.1.7"))));

        assertThat(found().stream().filter(difference -> difference.kind() == Kind.ADDRESS_TWICE))
                .extracting(Difference::subject)
                .containsExactlyInAnyOrder("pool 10.0.1.7", "kernel 10.0.1.7");
    }

    @Test
    void aSourceThatDidNotAnswerProvesNothing() {
        pods = List.of();
        attached = List.of();
        Source<Sandboxes> kernel = failing(NodeSources.kernel(new MemoryDatapath()));
        Source<KnownPods> server = failing(PodSource.of(new MemoryPods()));

        assertThat(found(List.of(database(), pool(), books(), clouds(), kernel, server)))
                .isEmpty();
    }

    private static <T> Source<T> failing(Source<T> as) {
        return FakeSource.of(
                as.name(),
                as.type(),
                Duration.ofSeconds(20),
                false,
                () -> CompletableFuture.failedFuture(new IOException("no route")),
                as.statements());
    }

    private String says(String source) {
        assertThat(found()).hasSize(1);
        return found().get(0).says().get(source);
    }

    private List<Difference> found() {
        return found(telling(new KnownPods(pods)));
    }

    private List<Source<?>> telling(KnownPods known) {
        return List.of(
                database(),
                pool(),
                books(),
                clouds(),
                FakeSource.telling(NodeSources.kernel(new MemoryDatapath()), new Sandboxes(attached)),
                FakeSource.telling(PodSource.of(new MemoryPods()), known));
    }

    private List<Difference> found(List<Source<?>> all) {
        try (Sources sources = new Sources(all, time, scheduler)) {
            return new SourceComparison(sources, scheduler)
                    .look(new Patience(Duration.ZERO, 2, Duration.ofMillis(1)), difference -> true)
                    .join()
                    .differences();
        }
    }

    private Source<ResourceDb.Contents> database() {
        return FakeSource.telling(
                NodeSources.database(new FakeDb()),
                new ResourceDb.Contents(leases, holds, List.of(), operations, List.of(), Optional.empty()));
    }

    private Source<PoolState> pool() {
        PendingWork idle = PendingWork.empty(time.now());
        return FakeSource.telling(
                NodeSources.pool(new FakeEngine(1)),
                new PoolState(
                        FakeEngine.view(time.now(), "eni-ip", new Watermarks(0, 5, 10), 0, 0, entries),
                        leases,
                        CapacityOverride.none(time.now()),
                        new PendingWork(
                                idle.at(),
                                busy,
                                List.of(),
                                List.of(),
                                Optional.empty(),
                                Map.of(),
                                PendingWork.NextRuns.NONE)));
    }

    private Source<KnownEnis> books() {
        return FakeSource.telling(NodeSources.enis(List::of, () -> true), new KnownEnis(book));
    }

    private Source<CloudAnswer> clouds() {
        return FakeSource.telling(
                NodeSources.cloud(
                        new CloudAccess(use -> {
                            throw new IllegalStateException("nobody opens it");
                        }),
                        new OperatorQuota(time, FakeSources::plenty),
                        time),
                new CloudAnswer(
                        new CloudState("i-1", cloud, List.of()), time.now(), new KnownEnis(bookBefore), Duration.ZERO));
    }

    private static Resource resource(String eni, String ip) {
        return new Resource(
                new ResourceId(eni + "/" + ip),
                ResourceKind.ENI_IP,
                List.of(Address.parse(ip + "/24")),
                eni,
                Map.of(Resource.FACTORY, "eni-ip"));
    }

    private static PoolView.Entry entry(Resource resource, ResourceState state) {
        boolean lent = resource.equals(LENT) && (state == ResourceState.IN_USE || state == ResourceState.INVALID);
        return new PoolView.Entry(
                resource,
                state,
                LONG_AGO,
                Optional.empty(),
                lent ? Optional.of(SANDBOX) : Optional.empty(),
                lent ? Optional.of(WEB) : Optional.empty());
    }

    private static EniDirectory.Eni eni(String id, String... addresses) {
        return new EniDirectory.Eni(
                id,
                "02:1",
                "InUse",
                "vsw-a",
                10,
                new EniAddresses(addresses[0], List.of(addresses), List.of()),
                0,
                LONG_AGO);
    }

    private static ObservedEni seen(String id, String status, String instance, boolean tagged, String... addresses) {
        return new ObservedEni(
                id,
                status,
                instance,
                "02:1",
                "vsw-a",
                new EniAddresses(addresses[0], List.of(addresses), List.of()),
                tagged,
                true);
    }
}
