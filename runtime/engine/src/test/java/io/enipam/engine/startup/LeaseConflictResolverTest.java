package io.enipam.engine.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.UnmanagedSandboxRegistry.UnmanagedSandbox;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.startup.ObservedState.EndedLease;
import io.enipam.engine.startup.RecoveryPlan.StartupEvent;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table at {@link LeaseConflictResolver}, line by line: a is 10.0.0.1, b is 10.0.0.2, both listed unless a test says otherwise. */
class LeaseConflictResolverTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final String A = "10.0.0.1";
    private static final String B = "10.0.0.2";

    private final List<Lease> rows = new ArrayList<>();
    private final List<Hold> holds = new ArrayList<>();
    private final List<Attachment> sandboxes = new ArrayList<>();
    private final List<Pod> pods = new ArrayList<>();
    private final List<PodCopy> copies = new ArrayList<>();
    private final List<EndedLease> ended = new ArrayList<>();
    private final List<Resource> listed = new ArrayList<>(List.of(resource(A), resource(B)));

    private static Resource resource(String ip) {
        return new Resource(
                new ResourceId("eni-1/" + ip),
                ResourceKind.ENI_IP,
                List.of(Address.parse(ip + "/24")),
                "eni-1",
                Map.of());
    }

    private static OwnerKey owner(String container) {
        return new OwnerKey("net", container, "eth0");
    }

    private static PodRef ref(String name) {
        return PodRef.parse("default/" + name);
    }

    /** A row of a container, whose pod has its name. */
    private Lease row(String container, String ip) {
        return row(container, ip, NOW.minusSeconds(60));
    }

    private Lease row(String container, String ip, Instant since) {
        Lease lease =
                new Lease(owner(container), ref(container), "uid-" + container, resource(ip), Duration.ZERO, since);
        rows.add(lease);
        return lease;
    }

    /** A connected container, whose pod has its name. */
    private void attached(String container, String... ips) {
        sandboxes.add(
                new Attachment(owner(container), Optional.of(ref(container)), "uid-" + container, addresses(ips)));
    }

    private static Set<InetAddress> addresses(String... ips) {
        return Set.copyOf(Arrays.stream(ips).map(Address::literal).toList());
    }

    private Pod runs(String name, String... ips) {
        Pod pod = new Pod(ref(name), "uid-" + name, false, Duration.ofMinutes(5), List.copyOf(addresses(ips)));
        pods.add(pod);
        return pod;
    }

    private RecoveryPlan decide() {
        return LeaseConflictResolver.resolve(
                new ObservedState(rows, holds, sandboxes, new PodIndex(pods, copies), listed, ended, NOW));
    }

    private static List<String> types(RecoveryPlan verdict) {
        return verdict.findings().stream().map(StartupEvent::type).toList();
    }

    private static void isGranted(RecoveryPlan verdict, String container, String ip) {
        assertThat(verdict.granted()).singleElement().satisfies(lease -> {
            assertThat(lease.owner()).isEqualTo(owner(container));
            assertThat(lease.resource()).isEqualTo(resource(ip));
        });
    }

    @Test
    void line1ARowThatTheKernelConfirmsStays() {
        row("p", A);
        attached("p", A);

        RecoveryPlan verdict = decide();

        assertThat(verdict.changesNothing()).isTrue();
        assertThat(verdict.findings()).isEmpty();
    }

    @Test
    void line2ARowWhoseSandboxIsNotThereStays() {
        row("p", A);

        assertThat(decide().changesNothing()).isTrue();
    }

    @Test
    void line3AConnectedSandboxGetsItsLeaseBackFromWhateverTheAddressWasTakenFor() {
        attached("o", A);
        holds.add(new Hold(resource(A), Hold.Purpose.RESERVED, ref("q"), NOW.plusSeconds(60), Duration.ZERO));
        runs("o");

        RecoveryPlan verdict = decide();

        isGranted(verdict, "o", A);
        Lease lease = verdict.granted().get(0);
        assertThat(lease.pod()).isEqualTo(ref("o"));
        assertThat(lease.podUid()).isEqualTo("uid-o");
        assertThat(lease.stick()).isEqualTo(Duration.ofMinutes(5));
        assertThat(lease.since()).isEqualTo(NOW);
        assertThat(types(verdict)).containsExactly("LeaseRebuilt");
    }

    @Test
    void line3ThePodOfASandboxThatTellsNoneIsTheOneOfItsUidElseTheOneWithItsAddress() {
        sandboxes.add(new Attachment(owner("x"), Optional.empty(), "uid-p", addresses(A)));
        sandboxes.add(new Attachment(owner("y"), Optional.empty(), "", addresses(B)));
        runs("p");
        runs("q", B);

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted())
                .extracting(lease -> lease.owner().containerId() + " " + lease.pod() + " " + lease.podUid())
                .containsExactlyInAnyOrder("x default/p uid-p", "y default/q uid-q");
    }

    @Test
    void line3ThePodStoreNamesAPodThatTheApiServerDoesNotTellOfByItsUid() {
        sandboxes.add(new Attachment(owner("x"), Optional.empty(), "uid-p", addresses(A)));
        Pod seen = new Pod(ref("p"), "uid-p", false, Duration.ZERO, List.copyOf(addresses(A)));
        copies.add(new PodCopy(seen, NOW.minusSeconds(60), Optional.empty()));

        assertThat(decide().granted())
                .singleElement()
                .satisfies(lease -> assertThat(lease.pod()).isEqualTo(ref("p")));
    }

    @Test
    void line3TheCopyOfAPodThatIsGoneNamesNobodyNorDoesAnyCopyByItsAddress() {
        for (Optional<Instant> gone : List.of(Optional.of(NOW.plusSeconds(60)), Optional.<Instant>empty())) {
            sandboxes.clear();
            copies.clear();
            sandboxes.add(new Attachment(owner("x"), Optional.empty(), gone.isPresent() ? "uid-p" : "", addresses(A)));
            Pod seen = new Pod(ref("p"), "uid-p", false, Duration.ZERO, List.copyOf(addresses(A)));
            copies.add(new PodCopy(seen, NOW.minusSeconds(60), gone));

            assertThat(decide().granted())
                    .singleElement()
                    .satisfies(
                            lease -> assertThat(PlaceholderPod.is(lease.pod())).isTrue());
        }
    }

    @Test
    void line3AnAddressThatADatabaseOnlyKeepsFromBeingLentIsKnownAllTheSame() {
        listed.clear();
        holds.add(new Hold(resource(A), Hold.Purpose.COOLING, ref("q"), NOW.plusSeconds(60), Duration.ZERO));
        attached("o", A);

        isGranted(decide(), "o", A);
    }

    @Test
    void line3AUidThatTheSandboxDoesNotTellIsNotTakenFromAPodThatMayBeAnotherOfItsName() {
        sandboxes.add(new Attachment(owner("x"), Optional.of(ref("p")), "", addresses(A)));
        runs("p", B);

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted())
                .filteredOn(lease -> lease.owner().equals(owner("x")))
                .singleElement()
                .satisfies(lease -> assertThat(lease.podUid()).isEmpty());
    }

    @Test
    void line4ASandboxWhosePodNobodyKnowsGetsALeaseAllTheSame() {
        sandboxes.add(new Attachment(owner("X_1"), Optional.empty(), "", addresses(A)));

        RecoveryPlan verdict = decide();

        isGranted(verdict, "X_1", A);
        assertThat(PlaceholderPod.is(verdict.granted().get(0).pod())).isTrue();
    }

    @Test
    void line5AnAddressThatIsInNoListIsNobodysAndKeptOut() {
        attached("o", "10.9.9.9");

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted()).isEmpty();
        assertThat(verdict.strays()).extracting(UnmanagedSandbox::owner).containsExactly(owner("o"));
        assertThat(verdict.strays().get(0).barred()).isEqualTo(addresses("10.9.9.9"));
        assertThat(types(verdict)).containsExactly("AttachmentUnlisted");
    }

    @Test
    void line6ALeaseFollowsTheAddressThatItsSandboxUses() {
        Lease before = row("p", A);
        attached("p", B);

        RecoveryPlan verdict = decide();

        isGranted(verdict, "p", B);
        assertThat(verdict.freed()).containsExactly(before);
        assertThat(verdict.dropped()).isEmpty();
        assertThat(types(verdict)).containsExactly("LeaseConflict");
    }

    @Test
    void line7ALeaseWhoseSandboxUsesAnAddressThatIsInNoListStays() {
        row("p", A);
        attached("p", "10.9.9.9");

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted()).isEmpty();
        assertThat(verdict.dropped()).isEmpty();
        assertThat(verdict.strays())
                .singleElement()
                .satisfies(stray -> assertThat(stray.barred()).isEqualTo(addresses("10.9.9.9")));
    }

    @Test
    void line8TheConnectedSandboxHasTheAddressBeforeARowWhoseSandboxIsNotThere() {
        Lease stale = row("p", A);
        attached("o", A);

        RecoveryPlan verdict = decide();

        isGranted(verdict, "o", A);
        assertThat(verdict.dropped()).containsExactly(stale);
        assertThat(types(verdict)).contains("LeaseConflict");
    }

    @Test
    void line9ARunningPodsRowOutdoesASandboxWhosePodIsGone() {
        row("p", A);
        attached("o", A);
        runs("p");

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted()).isEmpty();
        assertThat(verdict.dropped()).isEmpty();
        assertThat(verdict.strays()).singleElement().satisfies(stray -> {
            assertThat(stray.owner()).isEqualTo(owner("o"));
            assertThat(stray.barred())
                    .as("once p gives it back, it is still o's")
                    .isEqualTo(addresses(A));
        });
        assertThat(types(verdict)).containsExactly("LeaseConflict");
    }

    @Test
    void line10OfTwoConnectedSandboxesTheOneThatRunsHasTheAddressWhateverTheRowSays() {
        Lease row = row("p", A);
        attached("p", A);
        attached("o", A);
        runs("o");

        RecoveryPlan verdict = decide();

        isGranted(verdict, "o", A);
        assertThat(verdict.dropped()).containsExactly(row);
        assertThat(verdict.strays()).extracting(UnmanagedSandbox::owner).containsExactly(owner("p"));
    }

    @Test
    void line11OfTwoConnectedSandboxesTheOneWithTheRowKeepsIt() {
        row("p", A);
        attached("p", A);
        attached("o", A);
        runs("p");
        runs("o");

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted()).isEmpty();
        assertThat(verdict.dropped()).isEmpty();
        assertThat(verdict.strays()).extracting(UnmanagedSandbox::owner).containsExactly(owner("o"));
    }

    @Test
    void line12OfTwoConnectedSandboxesWithoutARowTheRunningPodsHasIt() {
        attached("a-first", A);
        attached("b-second", A);
        runs("b-second");

        isGranted(decide(), "b-second", A);
    }

    @Test
    void line12WhoHasItByTheApiServerOutdoesWhoMerelyRuns() {
        attached("a-first", A);
        attached("b-second", A);
        runs("a-first");
        runs("b-second", A);
        sandboxes.set(1, new Attachment(owner("b-second"), Optional.of(ref("b-second")), "", addresses(A)));

        isGranted(decide(), "b-second", A);
    }

    @Test
    void line12WhereNothingTellsThemApartTheFirstByNameHasItEveryTime() {
        attached("b", A);
        attached("a", A);

        isGranted(decide(), "a", A);
    }

    @Test
    void line13OfTwoRowsTheRunningPodsCounts() {
        Lease running = row("p", A, NOW.minusSeconds(60));
        Lease newer = row("q", A, NOW.minusSeconds(1));
        runs("p");

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted()).isEmpty();
        assertThat(verdict.dropped()).containsExactly(newer).doesNotContain(running);
        assertThat(types(verdict)).containsExactly("LeaseConflict");
    }

    @Test
    void line13OfTwoRowsTheConnectedOneCountsAndElseTheNewer() {
        Lease older = row("p", A, NOW.minusSeconds(60));
        Lease newer = row("q", A, NOW.minusSeconds(1));
        assertThat(decide().dropped()).containsExactly(older);

        attached("p", A);
        assertThat(decide().dropped()).containsExactly(newer);
    }

    @Test
    void line14AnAddressThatARunningPodHasIsKeptForItThoughNobodyKnowsItsSandbox() {
        Pod pod = runs("p", A);

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted()).singleElement().satisfies(lease -> {
            assertThat(PlaceholderPod.is(lease.owner())).isTrue();
            assertThat(lease.pod()).isEqualTo(pod.ref());
            assertThat(lease.podUid()).isEqualTo(pod.uid());
            assertThat(lease.resource()).isEqualTo(resource(A));
        });
        assertThat(types(verdict)).containsExactly("AddressKept");
    }

    @Test
    void line14APodThatGaveTheAddressBackOrHasAnotherIsNotGivenItAnew() {
        runs("p", A);
        holds.add(new Hold(resource(A), Hold.Purpose.COOLING, ref("p"), NOW.plusSeconds(10), Duration.ZERO));
        assertThat(decide().granted()).as("it cools down after p").isEmpty();

        holds.clear();
        row("p", B);
        assertThat(decide().granted()).as("it has b, and the API server lags").isEmpty();
    }

    @Test
    void line14AFinishedPodAndOneInTheNodesOwnNetworkGetNothing() {
        pods.add(new Pod(ref("done"), "u", true, Duration.ZERO, List.copyOf(addresses(A))));
        runs("host", "192.168.0.1");

        assertThat(decide().changesNothing()).isTrue();
    }

    @Test
    void line15ARunningPodsAddressIsTakenFromARowWhosePodDoesNotRun() {
        Lease stale = row("q", A);
        runs("p", A);

        RecoveryPlan verdict = decide();

        assertThat(verdict.dropped()).containsExactly(stale);
        assertThat(verdict.granted())
                .singleElement()
                .satisfies(lease -> assertThat(lease.pod()).isEqualTo(ref("p")));

        runs("q");
        assertThat(decide().changesNothing())
                .as("q runs: what the API server says of p is old")
                .isTrue();
    }

    @Test
    void line14WhatADelHasJustEndedIsNotKeptForThePodOnAnOldWordOfTheApiServer() {
        runs("p", A);
        ended.add(new EndedLease(ref("p"), addresses(A)));

        assertThat(decide().changesNothing()).isTrue();
    }

    @Test
    void line13TwoRowsOfOneAddressAreTwoThoughTheirResourcesHaveDifferentIds() {
        Resource former = new Resource(
                new ResourceId("eni-gone/" + A),
                ResourceKind.ENI_IP,
                List.of(Address.parse(A + "/24")),
                "eni-gone",
                Map.of());
        Lease stale = new Lease(owner("z"), ref("z"), "uid-z", former, Duration.ZERO, NOW.minusSeconds(1));
        rows.add(stale);
        Lease listedOne = row("p", A, NOW.minusSeconds(60));

        RecoveryPlan verdict = decide();

        assertThat(verdict.dropped()).containsExactly(stale);
        assertThat(verdict.upheld()).containsExactly(listedOne);
    }

    @Test
    void line16AConnectionThatIsHalfMadeIsNobodys() {
        attached("o");

        assertThat(decide().changesNothing()).isTrue();
    }

    @Test
    void line17ALeaseWhoseSandboxUsesAnothersAddressStays() {
        row("p", A);
        Lease rightful = row("q", B);
        attached("p", B);
        attached("q", B);

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted()).isEmpty();
        assertThat(verdict.dropped()).isEmpty();
        assertThat(verdict.strays()).extracting(UnmanagedSandbox::owner).containsExactly(owner("p"));
        assertThat(rows).contains(rightful);
        assertThat(types(verdict)).containsExactly("LeaseConflict");
    }

    @Test
    void line17ALeaseThatStaysThoughItsSandboxUsesAnothersAddressIsNotMadeAgainForAStandIn() {
        Lease stays = row("p", A);
        row("q", B);
        attached("p", B);
        attached("q", B);
        runs("p");
        runs("q");
        runs("r", A);

        RecoveryPlan verdict = decide();

        assertThat(verdict.upheld()).contains(stays);
        assertThat(verdict.granted())
                .extracting(lease -> lease.resource().id())
                .doesNotContain(stays.resource().id());
    }

    @Test
    void line17ALeaseWhoseSandboxUsesAnothersAddressEndsIfItsOwnIsTaken() {
        Lease homeless = row("p", A);
        row("q", B);
        attached("p", B);
        attached("q", B);
        attached("r", A);

        RecoveryPlan verdict = decide();

        isGranted(verdict, "r", A);
        assertThat(verdict.dropped()).containsExactly(homeless);
    }

    @Test
    void twoSandboxesThatSwappedTheirAddressesKeepWhatTheyUse() {
        row("p", A);
        row("q", B);
        attached("p", B);
        attached("q", A);

        RecoveryPlan verdict = decide();

        assertThat(verdict.granted())
                .extracting(lease -> lease.owner().containerId() + " "
                        + lease.resource().addresses().get(0).host())
                .containsExactlyInAnyOrder("p " + B, "q " + A);
        assertThat(verdict.dropped()).isEmpty();
        assertThat(verdict.freed()).isEmpty();
    }

    @Test
    void aSandboxThatIsToldTwiceIsOne() {
        attached("o", A);
        attached("o", "fd00::1");

        isGranted(decide(), "o", A);
    }

    /** Ten of each case side by side: what is decided of one pod hangs on nothing that is known of the others. */
    @Test
    void ofManyPodsEachIsJudgedAsIfItWereAlone() {
        listed.clear();
        List<Lease> stays = new ArrayList<>();
        List<Lease> ends = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        List<String> rebuilt = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String ip = "10.0." + i + ".";
            for (int last = 1; last <= 5; last++) {
                listed.add(resource(ip + last));
            }
            stays.add(row("row" + i, ip + 1));
            attached("row" + i, ip + 1);
            runs("row" + i, ip + 1);
            attached("bare" + i, ip + 2);
            runs("bare" + i, ip + 2);
            rebuilt.add("default/bare" + i);
            runs("told" + i, ip + 3);
            kept.add("default/told" + i);
            ends.add(row("gone" + i, ip + 4));
            runs("heir" + i, ip + 4);
            kept.add("default/heir" + i);
            holds.add(new Hold(
                    resource(ip + 5), Hold.Purpose.COOLING, ref("gave" + i), NOW.plusSeconds(10), Duration.ZERO));
            runs("gave" + i, ip + 5);
        }

        RecoveryPlan verdict = decide();

        assertThat(verdict.upheld()).containsExactlyInAnyOrderElementsOf(stays);
        assertThat(verdict.dropped()).containsExactlyInAnyOrderElementsOf(ends);
        assertThat(told(verdict, "LeaseRebuilt")).containsExactlyInAnyOrderElementsOf(rebuilt);
        assertThat(told(verdict, "AddressKept")).containsExactlyInAnyOrderElementsOf(kept);
        assertThat(verdict.granted()).hasSize(30).extracting(Lease::resource).doesNotHaveDuplicates();
        assertThat(verdict.strays()).isEmpty();
    }

    private static List<String> told(RecoveryPlan verdict, String type) {
        return verdict.findings().stream()
                .filter(finding -> finding.type().equals(type))
                .map(StartupEvent::subject)
                .toList();
    }

    /** A row that loses its two addresses to two pods ends once. */
    @Test
    void line15ARowWhoseAddressesGoToTwoRunningPodsEndsOnce() {
        Resource dual = new Resource(
                new ResourceId("eni-2/" + A),
                ResourceKind.ENI_IP,
                List.of(Address.parse(A + "/24"), Address.parse("fd00::1/64")),
                "eni-2",
                Map.of());
        Resource six = new Resource(
                new ResourceId("eni-2/fd00::1"),
                ResourceKind.ENI_IP,
                List.of(Address.parse("fd00::1/64")),
                "eni-2",
                Map.of());
        listed.add(six);
        Lease stale = new Lease(owner("q"), ref("q"), "uid-q", dual, Duration.ZERO, NOW.minusSeconds(60));
        rows.add(stale);
        runs("p", A);
        runs("r", "fd00::1");

        RecoveryPlan verdict = decide();

        assertThat(verdict.dropped()).containsExactly(stale);
        assertThat(verdict.granted()).extracting(Lease::pod).containsExactlyInAnyOrder(ref("p"), ref("r"));
    }
}
