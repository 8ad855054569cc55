package io.enipam.diagnostics.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.Explanation.NextStep;
import io.enipam.diagnostics.explain.NameResolver.Subject;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.sources.NodeSources;
import io.enipam.diagnostics.sources.NodeSources.CloudAnswer;
import io.enipam.diagnostics.sources.NodeSources.KnownEnis;
import io.enipam.diagnostics.sources.NodeSources.PoolState;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.PodSource;
import io.enipam.diagnostics.sources.PodSource.KnownPods;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.Sources;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.testing.FakeSource;
import io.enipam.diagnostics.testing.FakeSources;
import io.enipam.engine.PendingWork;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.engine.port.CloudInspector.CloudState;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.CloudInspector.ObservedVSwitch;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.engine.testing.FakeGrants;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import io.enipam.sdk.Address;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ledger.PendingEffect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sentences, one after the other, on a node that is told by hand. */
class ExplanationTest {
    private static final Instant NOW = Instant.now();
    private static final Instant THEN = NOW.minusSeconds(60);
    private static final Instant SINCE = NOW.minusSeconds(30);
    private static final Instant SOON = NOW.plusSeconds(3_600);
    private static final PodRef WEB = new PodRef("default", "web-1");
    private static final OwnerKey SANDBOX = new OwnerKey("k8s-pod-network", "c1", "eth0");
    private static final Resource RESOURCE = new Resource(
            new ResourceId("eni-a/10.0.1.7"),
            ResourceKind.ENI_IP,
            List.of(Address.parse("10.0.1.7/24")),
            "eni-a",
            Map.of(Resource.FACTORY, "eni-ip"));

    private final List<PoolView.Entry> entries = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private final List<Hold> holds = new ArrayList<>();
    private final List<EniDirectory.Eni> book = new ArrayList<>();
    private final List<ObservedEni> seen = new ArrayList<>();
    private final List<Pod> pods = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private final List<Difference> differences = new ArrayList<>();
    private final List<Trouble> troubles = new ArrayList<>();
    private final Map<OwnerKey, OrphanDecision> decisions = new HashMap<>();
    private final FakeGrants grants = new FakeGrants();
    private final List<EffectView> effects = new ArrayList<>();
    private final List<WaiterView> queue = new ArrayList<>();
    private final List<PendingCreate> creates = new ArrayList<>();
    private Optional<RetryState> createTrouble = Optional.empty();
    private Map<ResourceKey, RetryState> disposals = Map.of();
    private Set<PodRef> busy = Set.of();
    private CapacityOverride order = CapacityOverride.none(THEN);
    private int capacity = 10;

    // ---- what plugins granted

    @Test
    void anAddressThatAnAllocatorGrantedIsExplainedWithWhatIsStillToBeDone() {
        grants.grant("c9", "default/web-1", "u1", "10.7.0.2/24");
        effects.add(new EffectView(
                "net",
                "files",
                "files/10.7.0.2/24/1",
                new PendingEffect("write", "10.7.0.2/24", 1, 0, "", PendingEffect.Cause.of(new ClaimId("lan/c9/eth0"))),
                3,
                "the disk is full",
                Optional.of(SOON)));
        decisions.put(new OwnerKey("lan", "c9", "eth0"), new OrphanDecision.Orphan("the pod does not exist"));

        Condition condition =
                new AddressExplanation(context(), "10.7.0.2").explain(List.of()).orElseThrow();

        assertThat(condition.state()).isEqualTo("GRANTED");
        assertThat(condition.since()).contains(Instant.EPOCH);
        assertThat(condition.holder().pod()).contains(WEB);
        assertThat(condition.why())
                .containsExactly(
                        "extension files of plugin net granted 10.7.0.2/24 to container c9, interface eth0 of network lan",
                        "effect write 10.7.0.2/24 of it is not performed yet: tried 3 times, and the last try failed: the"
                                + " disk is full");
        assertThat(condition.next())
                .extracting(NextStep::what)
                .containsExactly("the effect is tried again", "the garbage collection ends the claim");
    }

    @Test
    void aPodAndAContainerThatAnAllocatorServesAreKnown() {
        grants.grant("c9", "default/web-1", "u1", "10.7.0.2/24");
        grants.grant("lonely", "lonely", "", "10.7.0.3/24");
        ExplainContext context = context();

        Condition pod = new PodExplanation(context, WEB, Optional.empty()).explain();
        assertThat(pod.state()).isEqualTo("HAS_ADDRESS");
        assertThat(pod.location().addresses()).singleElement().satisfies(held -> {
            assertThat(held.address()).isEqualTo("10.7.0.2/24");
            assertThat(held.state()).isEqualTo("GRANTED");
        });
        NameResolver names = new NameResolver(context);
        assertThat(names.of("lan/c9/eth0")).extracting(Subject::name).containsExactly("lan/c9/eth0");
        assertThat(names.of("web-1")).extracting(Subject::kind).containsExactly(Subject.Kind.POD);
        Subject lonely = names.of("lonely").get(0);
        Condition container = new PodExplanation(context, lonely.pod().orElseThrow(), lonely.owner()).explain();
        assertThat(container.holder().pod()).as("none was named").isEmpty();
        assertThat(container.why()).singleElement().asString().contains("10.7.0.3/24 to container lonely");
    }

    // ---- addresses

    @Test
    void anIdleAddressIsForTheNextPod() {
        entry(ResourceState.IDLE, false);

        Condition condition = address();
        assertThat(condition.state()).isEqualTo("IDLE");
        assertThat(condition.since()).contains(THEN);
        assertThat(condition.why()).containsExactly("idle: no pod has it, and the next one may get it");
        assertThat(condition.next()).isEmpty();
    }

    @Test
    void anIdleAddressAboveTheWatermarkMayGoBack() {
        for (int i = 0; i < 7; i++) {
            entry(ResourceState.IDLE, false);
        }

        assertThat(address().why()).last().isEqualTo("more are idle (7) than the upper watermark (5)");
        assertThat(address().next())
                .containsExactly(new NextStep(
                        Optional.of(SOON), "the watermarks are looked at: by policy 'watermark' it may be given back"));
    }

    @Test
    void anIdleAddressOfADrainedPoolGoesBack() {
        order = CapacityOverride.drained(THEN);
        entry(ResourceState.IDLE, false);

        assertThat(address().why())
                .containsExactly("idle, and the pool was told at " + THEN
                        + " to give back what is idle: 'pool drain' is in force");
        assertThat(address().next())
                .containsExactly(
                        new NextStep(Optional.of(SOON), "it is given back by then, if it has not gone before"),
                        new NextStep(
                                Optional.empty(), "after 'pool drain --undo' it stays, and the next pod may get it"));
    }

    @Test
    void aPrimaryAddressOfADrainedPoolWaitsForTheOthersOfItsEni() {
        order = CapacityOverride.drained(THEN);
        Resource first = new Resource(
                new ResourceId("eni-a/10.0.1.6"),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.0.1.6/24")),
                "eni-a",
                Map.of(Resource.PRIMARY, "true"));
        entries.add(new PoolView.Entry(
                first, ResourceState.IDLE, THEN, Optional.empty(), Optional.empty(), Optional.empty()));
        assertThat(new AddressExplanation(context(), "10.0.1.6")
                        .explain(List.of())
                        .orElseThrow()
                        .why())
                .hasSize(1);

        entry(ResourceState.IN_USE, true);
        Condition condition =
                new AddressExplanation(context(), "10.0.1.6").explain(List.of()).orElseThrow();
        assertThat(condition.why())
                .last()
                .isEqualTo("it is the primary address of ENI eni-a, which other addresses of the pool are still on");
        assertThat(condition.next().get(0).what()).isEqualTo("it goes back with its ENI, when the others have gone");
    }

    @Test
    void whileAPodWaitsNothingOfADrainedPoolGoesBack() {
        order = CapacityOverride.drained(THEN);
        entry(ResourceState.IDLE, false);
        queue.add(new WaiterView(SANDBOX, WEB, THEN, SOON));

        assertThat(address().why()).last().isEqualTo("pods wait for addresses, and nothing goes back while they do");
    }

    @Test
    void whatCoolsDownInADrainedPoolIsForNoOtherPod() {
        order = CapacityOverride.drained(THEN);
        entry(ResourceState.COOLING, true);

        assertThat(address().next().get(0).what())
                .isEqualTo("the cool-down ends: it goes back to where it came from, for the pool is drained");
    }

    @Test
    void anIdleAddressThatAnOrderKeepsSaysUntilWhen() {
        order = CapacityOverride.warm(7, THEN, SOON);
        for (int i = 0; i < 7; i++) {
            entry(ResourceState.IDLE, false);
        }

        assertThat(address().why())
                .containsExactly(
                        "idle: no pod has it, and the next one may get it",
                        "'pool warm 7' keeps as many idle until " + SOON);
        assertThat(address().next())
                .containsExactly(new NextStep(
                        Optional.of(SOON),
                        "the order ends: of what is idle above the upper watermark (5) it may be given back"));

        order = order.carriedOut();
        entry(ResourceState.IDLE, false);
        assertThat(address().why()).last().isEqualTo("more are idle (8) than the order keeps (7)");
        assertThat(address().why()).anyMatch(why -> why.contains("is not made again"));
    }

    @Test
    void aCoolingAddressSaysWhoGaveItBackAndWhenItIsIdle() {
        entry(ResourceState.COOLING, true);

        assertThat(address().why().get(0))
                .isEqualTo("cooling down, because pod default/web-1 gave it back: stale traffic and connections of that"
                        + " pod die before another gets it");
        assertThat(address().next())
                .containsExactly(
                        new NextStep(Optional.of(SOON), "the cool-down ends: it is idle, and the next pod may get it"));
    }

    @Test
    void aReservedAddressSaysForWhomAndUntilWhen() {
        entry(ResourceState.RESERVED, true);

        assertThat(address().why().get(0))
                .isEqualTo("reserved for pod default/web-1, which gave it back: a StatefulSet's pod finds its address"
                        + " again");
        assertThat(address().next())
                .containsExactly(
                        new NextStep(
                                Optional.of(SOON), "the reservation ends: it is idle, and the next pod may get it"),
                        new NextStep(Optional.empty(), "an ADD of that pod gets it at once"));
    }

    @Test
    void anAddressInUseSaysByWhom() {
        lease(Duration.ZERO);
        entry(ResourceState.IN_USE, true);

        assertThat(address().why()).containsExactly("in use by pod default/web-1, container c1");
        assertThat(address().holder().pod()).contains(WEB);
    }

    @Test
    void anAddressOfAPodThatIsGoneSaysWhenItIsTaken() {
        lease(Duration.ZERO);
        entry(ResourceState.IN_USE, true);
        gone();
        decisions.put(SANDBOX, new OrphanDecision.Orphan("the pod does not exist"));

        assertThat(address().why())
                .containsExactly(
                        "in use by pod default/web-1, container c1, though the pod is gone (no such pod) and no DEL"
                                + " has come");
        assertThat(address().next())
                .containsExactly(
                        new NextStep(Optional.of(SOON), "the garbage collection ends the lease, and it cools down"));
    }

    @Test
    void anAddressThatTheCollectionSparesSaysWhyAndNotThatTheNextOneTakesIt() {
        lease(Duration.ZERO);
        entry(ResourceState.IN_USE, true);
        gone();
        decisions.put(
                SANDBOX, new OrphanDecision.Spared("the pod does not exist, but", Optional.of(NOW.plusSeconds(500))));

        for (Condition condition : List.of(address(), pod())) {
            assertThat(condition.why())
                    .contains("the garbage collection spares the lease: the pod does not exist, but");
            assertThat(condition.next()).singleElement().satisfies(step -> {
                assertThat(step.at()).contains(NOW.plusSeconds(500));
                assertThat(step.what()).startsWith("from then on");
            });
        }
    }

    @Test
    void anAddressOnItsWayBackSaysHowOftenItWasTriedAndWhenNext() {
        entry(ResourceState.DISPOSING, false);
        assertThat(address().why())
                .containsExactly("on its way back to where it came from: its factory is being asked");

        disposals = Map.of(
                ResourceKey.of(RESOURCE),
                new RetryState(
                        3, ErrorKind.THROTTLED, "Throttling.User: too many calls", THEN, NOW.plusSeconds(4), THEN));
        assertThat(address().why())
                .containsExactly("on its way back to where it came from: asked 3 times, the last answer was THROTTLED:"
                        + " Throttling.User: too many calls");
        assertThat(address().next())
                .containsExactly(new NextStep(Optional.of(NOW.plusSeconds(4)), "it is tried again"));
    }

    @Test
    void aLostAddressSaysWhatToDo() {
        lease(Duration.ZERO);
        entry(ResourceState.INVALID, true);

        assertThat(address().why())
                .containsExactly("lost: the cloud took it while pod default/web-1 had it, so that pod has no network");
        assertThat(address().next())
                .last()
                .satisfies(
                        step -> assertThat(step.what()).startsWith("it is dropped with the pod's DEL: delete the pod"));
    }

    /** It said "lost" while the cloud said "attached here". */
    @Test
    void aLostAddressThatTheCloudHasAgainSaysSoAndNothingToTheContrary() {
        lease(Duration.ZERO);
        entry(ResourceState.INVALID, true);
        book.add(eni("eni-a", "InUse", "10.0.1.7/24"));
        seen.add(seen("eni-a", "InUse", "i-1", true, true));

        assertThat(address().why())
                .containsExactly(
                        "it was lost while pod default/web-1 had it, and the cloud has it on ENI eni-a of this node"
                                + " again");
        assertThat(address().next())
                .singleElement()
                .satisfies(step -> assertThat(step.what()).endsWith("it is the pod's as before"));
        troubles.add(loss(Trouble.Cause.ADDRESS_LOST, "the cloud took it"));
        assertThat(pod().why()).first().asString().contains("has given it back");
    }

    @Test
    void anAddressOfALostEniSaysWhatBecomesOfTheEni() {
        lease(Duration.ZERO);
        entry(ResourceState.INVALID, true);
        book.add(eni("eni-a", "Lost", "10.0.1.7/24"));
        seen.add(seen("eni-a", "Available", "", true, true));

        assertThat(address().why())
                .singleElement()
                .asString()
                .contains("another actor took off this node", "no network");
        assertThat(address().next())
                .first()
                .satisfies(step -> assertThat(step.what()).contains("attaches it again"));
        troubles.add(loss(Trouble.Cause.ENI_LOST, "ENI eni-a was detached"));
        assertThat(pod().why()).first().isEqualTo("no network: ENI eni-a was detached");
        assertThat(theEni("eni-a").why()).first().isEqualTo("ENI eni-a was detached");
        assertThat(theEni("eni-a").why()).anyMatch(why -> why.contains("another actor has taken it off this node"));
        assertThat(theEni("eni-a").why()).anyMatch(why -> why.contains("Available, attached to nothing"));
    }

    @Test
    void anAddressThatThePoolDoesNotHaveSaysWhereItIs() {
        book.add(eni("eni-a", "InUse", "10.0.1.7/24"));
        assertThat(address().why().get(0)).startsWith("it is on ENI eni-a and not in the pool");

        book.clear();
        seen.add(seen("eni-0", "InUse", "i-1", false, false));
        assertThat(address().why().get(0))
                .isEqualTo("it is the node's own: on the instance's primary ENI eni-0, which lends nothing");

        seen.set(0, seen("eni-f", "InUse", "i-1", false, true));
        assertThat(address().why().get(0)).contains("not enipam's");

        seen.set(0, seen("eni-l", "Available", "", true, true));
        assertThat(address().state()).isEqualTo("UNTRACKED");
        assertThat(address().why().get(0))
                .isEqualTo("the cloud has it on ENI eni-l of this node, and it is unknown here");
    }

    @Test
    void anAddressOfAnotherMachineIsToldSo() {
        Condition condition = new AddressExplanation(context(), "10.0.1.7")
                .explain(List.of(seen("eni-x", "InUse", "i-other", false, true)))
                .orElseThrow();

        assertThat(condition.why())
                .containsExactly(
                        "not this node's: per the cloud it is on ENI eni-x, which is InUse and hangs on i-other");
    }

    @Test
    void anAddressThatWentSaysSo() {
        events.add(new Event(
                7, THEN, Event.Severity.INFO, "ResourceDisposed", "eni-a/10.0.1.7", "the address went back", Map.of()));

        assertThat(address().state()).isEqualTo("GONE");
        assertThat(address().why())
                .containsExactly("it was here and is no more; the last that happened: the address went back");
    }

    @Test
    void anAddressThatNeverWasHereSaysWhichAre() {
        assertThat(new AddressExplanation(context(), "192.0.2.1").explain(List.of()))
                .isEmpty();
        assertThat(Explainer.looked(context(), Optional.of("192.0.2.1"), Optional.empty())
                        .get(0))
                .isEqualTo("192.0.2.1 cannot be of this node: vsw-a has 10.0.1.0/24");
        assertThat(Explainer.looked(context(), Optional.of("10.0.1.77"), Optional.empty())
                        .get(0))
                .isEqualTo("10.0.1.77 lies in vSwitch vsw-a (10.0.1.0/24), and no ENI has it: it is free, or another"
                        + " machine's");
    }

    // ---- pods

    @Test
    void aPodThatWaitsSaysWhereInTheQueueForWhatAndUntilWhen() {
        capacity = 1;
        OwnerKey first = new OwnerKey("k8s-pod-network", "c0", "eth0");
        queue.add(new WaiterView(first, new PodRef("default", "first"), THEN, SOON));
        queue.add(new WaiterView(SANDBOX, WEB, THEN, SOON));
        creates.add(new PendingCreate("enipam-1", "eni-ip", THEN, SOON));
        createTrouble =
                Optional.of(new RetryState(2, ErrorKind.UNAVAILABLE, "no route", THEN, NOW.plusSeconds(3), THEN));

        Condition condition = pod();
        assertThat(condition.state()).isEqualTo("WAITING");
        assertThat(condition.until()).contains(SOON);
        assertThat(condition.why().get(0))
                .isEqualTo(
                        "no address yet: it waits in the queue at place 2 of 2, because nothing is idle and the pool is"
                                + " full: 0 of 1 addresses are in use");
        assertThat(condition.why().get(1)).startsWith("1 address is being made by request enipam-1");
        assertThat(condition.why().get(2)).isEqualTo("the last address could not be made: UNAVAILABLE: no route");
        assertThat(condition.next())
                .containsExactly(
                        new NextStep(Optional.of(NOW.plusSeconds(3)), "an address is asked for again"),
                        new NextStep(
                                Optional.of(SOON), "its ADD fails with POOL_EXHAUSTED, and the runtime tries again"));
    }

    @Test
    void aPodThatWasRefusedSaysWithWhichCode() {
        pods.add(new Pod(WEB, "u1", false, Duration.ZERO));
        events.add(new Event(
                7,
                THEN,
                Event.Severity.WARNING,
                "LeaseRefused",
                "default/web-1",
                "no address within 8 s",
                Map.of("code", "POOL_EXHAUSTED", "owner", SANDBOX.toString())));

        assertThat(pod().state()).isEqualTo("REFUSED");
        assertThat(pod().why())
                .containsExactly("no address: its last ADD failed with POOL_EXHAUSTED: no address within 8 s");
    }

    @Test
    void aPodWithAnAddUnderWayWaitsForSomethingElseThanAnAddress() {
        busy = Set.of(WEB);

        assertThat(pod().state()).isEqualTo("BUSY");
    }

    @Test
    void aPodThatNobodyAskedForIsToldSoAndOneThatIsGoneToo() {
        assertThat(pod().state()).isEqualTo("GONE");

        pods.add(new Pod(WEB, "u1", false, Duration.ZERO));
        assertThat(pod().why()).containsExactly("no address: no ADD has come for it, as far as the daemon remembers");
    }

    @Test
    void aPodKnowsWhatIsKeptForIt() {
        pods.add(new Pod(WEB, "u1", false, Duration.ZERO));
        holds.add(new Hold(RESOURCE, Hold.Purpose.RESERVED, WEB, SOON, Duration.ZERO));

        assertThat(pod().why()).last().isEqualTo("address 10.0.1.7 is reserved for it");
        assertThat(pod().next()).contains(new NextStep(Optional.of(SOON), "the reservation of 10.0.1.7 ends"));
    }

    @Test
    void aPodWhoseAddressIsLostHasNoNetwork() {
        lease(Duration.ZERO);
        entry(ResourceState.INVALID, true);
        troubles.add(loss(Trouble.Cause.ADDRESS_LOST, "the cloud took 10.0.1.7 off ENI eni-a"));

        assertThat(pod().state()).isEqualTo("LOST_ADDRESS");
        assertThat(pod().since()).as("of the trouble, not of the lease").contains(SINCE);
        assertThat(pod().why())
                .containsExactly(
                        "no network: the cloud took 10.0.1.7 off ENI eni-a", "it had 10.0.1.7 in container c1");
    }

    private static Trouble loss(Trouble.Cause cause, String text) {
        return new Trouble(cause, true, text, SINCE, List.of(WEB.toString()), List.of("eni-a"), "explain eni-a");
    }

    @Test
    void anEniThatIsGoneUnderAPodIsExplainedByItsTrouble() {
        lease(Duration.ZERO);
        entry(ResourceState.INVALID, true);
        troubles.add(loss(Trouble.Cause.ENI_LOST, "ENI eni-a is gone from this node"));

        assertThat(theEni("eni-a").state()).isEqualTo("GONE");
        assertThat(theEni("eni-a").since()).contains(SINCE);
    }

    @Test
    void aPodThatWaitsIsToldWhyNoAddIsServed() {
        String text = "no address is idle, and none can be made: Throttling.User";
        troubles.add(new Trouble(Trouble.Cause.SUPPLY, true, text, SINCE, List.of(), List.of(), "ecs calls --failed"));

        assertThat(pod().why()).contains("no ADD can be served: " + text);
    }

    // ---- what is gone

    @Test
    void anIdThatOnlyTheHistoryKnowsIsExplainedByItsLeases() {
        LeaseRecord lease = new LeaseRecord(
                SANDBOX,
                WEB,
                "u1",
                List.of("10.0.1.7"),
                "eni-gone/10.0.1.7",
                "eni-gone",
                THEN,
                Optional.of(new LeaseEnd(LeaseEnd.Reason.DEL, "cni", "", NOW)));

        PastExplanation.Past past = new PastExplanation(context(), "eni-gone", remembering(lease))
                .explain()
                .orElseThrow();

        assertThat(past.subject().kind()).isEqualTo(Subject.Kind.ENI);
        assertThat(past.condition().state()).isEqualTo("GONE");
        assertThat(past.condition().since()).contains(NOW);
        assertThat(past.condition().why())
                .anySatisfy(why -> assertThat(why)
                        .startsWith("pod default/web-1 had 10.0.1.7 on ENI eni-gone, container c1, from ")
                        .endsWith(": ended by DEL of cni"));
        assertThat(new PastExplanation(context(), "c1", remembering(lease))
                        .explain()
                        .orElseThrow()
                        .subject()
                        .kind())
                .isEqualTo(Subject.Kind.CONTAINER);
        assertThat(new PastExplanation(context(), "eni-other", LeaseHistory.NONE).explain())
                .isEmpty();
    }

    @Test
    void anIdThatOnlyEventsKnowIsExplainedByThem() {
        events.add(
                new Event(1, NOW, Event.Severity.INFO, "EniDeleted", "eni-gone", "ENI eni-gone was deleted", Map.of()));

        assertThat(new PastExplanation(context(), "eni-gone", LeaseHistory.NONE)
                        .explain()
                        .orElseThrow()
                        .condition()
                        .why())
                .anySatisfy(why -> assertThat(why).endsWith("EniDeleted: ENI eni-gone was deleted"));
    }

    private static LeaseHistory remembering(LeaseRecord lease) {
        return new LeaseHistory() {
            @Override
            public List<LeaseRecord> find(LeaseQuery query) {
                return Stream.of(lease).filter(query::matches).toList();
            }

            @Override
            public State state() {
                return LeaseHistory.NONE.state();
            }
        };
    }

    // ---- ENIs

    @Test
    void anEniSaysWhatItLends() {
        entry(ResourceState.IDLE, false);
        book.add(eni("eni-a", "InUse", "10.0.1.6/24", "10.0.1.7/24"));

        assertThat(theEni("eni-a").why())
                .containsExactly(
                        "attached and lending: it has 2 of 10 addresses, of which the pool has 1 IDLE",
                        "2 requests for an address wait for it");
        assertThat(theEni("eni-a").location().addresses())
                .extracting(
                        Explanation.HeldAddress::address,
                        Explanation.HeldAddress::primary,
                        Explanation.HeldAddress::state)
                .containsExactly(tuple("10.0.1.6/24", true, ""), tuple("10.0.1.7/24", false, "IDLE"));
    }

    @Test
    void aStuckEniSaysSinceWhenAndWhatTheCloudSays() {
        book.add(eni("eni-a", "Stuck", "10.0.1.7/24"));
        seen.add(seen("eni-a", "Attaching", "", true, true));

        Condition condition = theEni("eni-a");
        assertThat(condition.since()).contains(THEN);
        assertThat(condition.why().get(0)).startsWith("too long on its way, by more than 60 s: it holds its slot");
        assertThat(condition.why().get(1)).isEqualTo("the cloud says it is Attaching, attached to nothing");
        assertThat(condition.next())
                .singleElement()
                .satisfies(step -> assertThat(step.what()).startsWith("it is looked at again within 30 s"));
    }

    @Test
    void anEniThatWasLeftBehindIsSwept() {
        seen.add(seen("eni-l", "Available", "", true, true));

        assertThat(theEni("eni-l").why())
                .containsExactly("left behind: it carries this node's tags, and it is unknown here");
        assertThat(theEni("eni-l").next())
                .singleElement()
                .satisfies(step -> assertThat(step.what()).startsWith("the sweep deletes it"));
    }

    // ---- names

    @Test
    void oneWordMayNameSeveralThings() {
        entry(ResourceState.IN_USE, true);
        pods.add(new Pod(new PodRef("other", "web-1"), "u9", false, Duration.ZERO));

        assertThat(new NameResolver(context()).of("web-1"))
                .extracting(Subject::name)
                .containsExactly("default/web-1", "other/web-1");
        assertThat(new NameResolver(context()).of("eni-a/10.0.1.7"))
                .extracting(Subject::kind)
                .containsExactly(Subject.Kind.ADDRESS);
        assertThat(new NameResolver(context()).of("k8s-pod-network/c1/eth0"))
                .extracting(Subject::kind)
                .containsExactly(Subject.Kind.CONTAINER);
        assertThat(new NameResolver(context()).of("nobody")).isEmpty();
    }

    @Test
    void ofManyThatHaveOneNameAFewAreExplainedAndTheOthersCounted() {
        busy = IntStream.range(0, 30)
                .mapToObj(i -> new PodRef("team-" + i, "many"))
                .collect(Collectors.toSet());

        NameResolver.Named named = new NameResolver(context()).named("many");
        assertThat(named.first()).hasSize(20).doesNotHaveDuplicates();
        assertThat(named.more()).isEqualTo(10);
        assertThat(new NameResolver(context()).named("team-7/many").more()).isZero();
    }

    // ---- the node

    private Condition address() {
        return new AddressExplanation(context(), "10.0.1.7").explain(List.of()).orElseThrow();
    }

    private Condition pod() {
        return new PodExplanation(context(), WEB, Optional.empty()).explain();
    }

    private Condition theEni(String id) {
        return new EniExplanation(context(), id).explain().orElseThrow();
    }

    private void entry(ResourceState state, boolean ofWeb) {
        boolean lent = state == ResourceState.IN_USE || state == ResourceState.INVALID;
        boolean held = state == ResourceState.COOLING || state == ResourceState.RESERVED;
        entries.add(new PoolView.Entry(
                RESOURCE,
                state,
                THEN,
                held ? Optional.of(SOON) : Optional.empty(),
                lent && ofWeb ? Optional.of(SANDBOX) : Optional.empty(),
                ofWeb ? Optional.of(WEB) : Optional.empty()));
    }

    private void lease(Duration stick) {
        leases.add(new Lease(SANDBOX, WEB, "u1", RESOURCE, stick, THEN));
    }

    private void gone() {
        differences.add(new Difference(
                Difference.Kind.POD_GONE,
                SANDBOX.toString(),
                Set.of("10.0.1.7"),
                "eni-a",
                Optional.of(SANDBOX),
                Optional.of(WEB),
                "the pod is gone",
                Map.of("API server", "no such pod")));
    }

    private static EniDirectory.Eni eni(String id, String state, String... addresses) {
        String primary = addresses[0].replaceAll("/.*", "");
        return new EniDirectory.Eni(
                id, "02:1", state, "vsw-a", 10, new EniAddresses(primary, List.of(addresses), List.of()), 2, THEN);
    }

    private static ObservedEni seen(String id, String status, String instance, boolean tagged, boolean secondary) {
        return new ObservedEni(
                id,
                status,
                instance,
                "02:1",
                "vsw-a",
                new EniAddresses("10.0.1.7", List.of("10.0.1.7"), List.of()),
                tagged,
                secondary);
    }

    private ExplainContext context() {
        PendingWork agenda = new PendingWork(
                NOW,
                busy,
                queue,
                creates,
                createTrouble,
                disposals,
                new PendingWork.NextRuns(Optional.of(SOON), Optional.of(SOON), Optional.of(SOON)));
        PoolView pool =
                FakeEngine.view(NOW, "eni-ip", new Watermarks(0, 5, capacity), creates.size(), queue.size(), entries);
        SystemTime time = new SystemTime();
        ExecutorScheduler scheduler = new ExecutorScheduler();
        try (Sources sources = new Sources(
                List.of(
                        FakeSource.telling(
                                NodeSources.database(new FakeDb()),
                                new ResourceDb.Contents(
                                        leases, holds, List.of(), List.of(), List.of(), Optional.empty())),
                        FakeSource.telling(
                                NodeSources.pool(new FakeEngine(1)), new PoolState(pool, leases, order, agenda)),
                        FakeSource.telling(NodeSources.enis(List::of, () -> true), new KnownEnis(book)),
                        FakeSource.telling(
                                NodeSources.cloud(
                                        new CloudAccess(use -> {
                                            throw new IllegalStateException("nobody opens it");
                                        }),
                                        new OperatorQuota(time, FakeSources::plenty),
                                        time),
                                new CloudAnswer(
                                        new CloudState(
                                                "i-1", seen, List.of(new ObservedVSwitch("vsw-a", "10.0.1.0/24", 9))),
                                        NOW,
                                        new KnownEnis(book),
                                        Duration.ZERO)),
                        FakeSource.telling(PodSource.of(new MemoryPods()), new KnownPods(pods))),
                time,
                scheduler)) {
            Snapshot snapshot = sources.ask(Duration.ZERO).join();
            PluginWords words = new PluginWords(grants.all(), effects, List.of());
            return new ExplainContext(snapshot, differences, events, List.of(), decisions, words, troubles);
        } finally {
            scheduler.close();
        }
    }
}
