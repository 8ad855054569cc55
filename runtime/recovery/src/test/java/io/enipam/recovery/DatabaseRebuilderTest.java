package io.enipam.recovery;

import static io.enipam.recovery.Node.NOW;
import static io.enipam.recovery.Node.decisions;
import static io.enipam.recovery.Node.holds;
import static io.enipam.recovery.Node.leases;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who has which address after a recovery, case by case. */
class DatabaseRebuilderTest {
    private final Node node = new Node();

    @Test
    void aStaleLeaseOfAConnectedSandboxStays() {
        RebuildPlan outcome = node.stale("a", 5, 10).connected("a", 5).listed(5).decide();

        assertThat(leases(outcome)).containsExactly("a 10.0.0.5");
        assertThat(decisions(outcome)).containsExactlyInAnyOrder("KEEP_LEASE 10.0.0.5");
        assertThat(holds(outcome)).isEmpty();
    }

    @Test
    void aStaleLeaseThatNobodySpeaksForEndsInQuarantine() {
        RebuildPlan outcome =
                node.stale("a", 5, 10).connected("z", 9).listed(5, 9).decide();

        assertThat(leases(outcome)).containsExactly("z 10.0.0.9");
        assertThat(decisions(outcome))
                .containsExactlyInAnyOrder("REBUILD_LEASE 10.0.0.9", "DROP_LEASE 10.0.0.5", "QUARANTINE 10.0.0.5");
        assertThat(holds(outcome)).containsExactly("10.0.0.5 PT30S");
    }

    @Test
    void withoutTheKernelsWordAStaleLeaseStays() {
        RebuildPlan outcome = node.stale("a", 5, 10).listed(5).withoutKernel().decide();

        assertThat(leases(outcome)).containsExactly("a 10.0.0.5");
    }

    @Test
    void aSandboxWhoseLeaseIsLostGetsItAgainWithTheCloudsResource() {
        RebuildPlan outcome = node.connected("a", 5).runs("a").listed(5).decide();

        assertThat(leases(outcome)).containsExactly("a 10.0.0.5");
        assertThat(Node.of(outcome, Change.PutLease.class)
                        .findFirst()
                        .orElseThrow()
                        .lease())
                .satisfies(lease -> {
                    assertThat(lease.owner()).isEqualTo(Node.sandbox("a"));
                    assertThat(lease.podUid()).isEqualTo("uid-a");
                    assertThat(lease.since()).isEqualTo(NOW);
                });
        assertThat(decisions(outcome)).containsExactlyInAnyOrder("REBUILD_LEASE 10.0.0.5");
    }

    @Test
    void aSandboxIsRebuiltFromAnOldHoldWhenTheCloudIsSilent() {
        RebuildPlan outcome = node.hold("b", 5, NOW, false, 10)
                .connected("a", 5)
                .withoutCloud()
                .withoutApiServer()
                .decide();

        assertThat(leases(outcome)).containsExactly("a 10.0.0.5");
        assertThat(decisions(outcome)).containsExactlyInAnyOrder("REBUILD_LEASE 10.0.0.5", "DROP_HOLD 10.0.0.5");
    }

    @Test
    void howLongAnAddressSticksIsTakenFromThePodsCopy() {
        RebuildPlan outcome =
                node.connected("a", 5).copy("a").withoutApiServer().listed(5).decide();

        assertThat(Node.of(outcome, Change.PutLease.class))
                .singleElement()
                .satisfies(put -> assertThat(put.lease().stick()).isEqualTo(Duration.ofMinutes(5)));
    }

    @Test
    void aSandboxWithAnAddressThatNobodyKnowsIsLeftToTheStart() {
        RebuildPlan outcome = node.connected("a", 5).runs("a").withoutCloud().decide();

        assertThat(leases(outcome)).isEmpty();
        assertThat(decisions(outcome)).containsExactlyInAnyOrder("LEAVE 10.0.0.5");
    }

    @Test
    void aSandboxWithoutAPodsNameIsThePodsThatHasTheAddressByTheApiServer() {
        RebuildPlan outcome =
                node.connectedNameless("a", 5).runsWith("a", 5).listed(5).decide();

        assertThat(leases(outcome)).containsExactly("a 10.0.0.5");
    }

    @Test
    void aSandboxThatMovedHasWhatItIsConnectedWithAndTheFormerAddressIsQuarantined() {
        RebuildPlan outcome =
                node.stale("a", 5, 10).connected("a", 6).listed(5, 6).decide();

        assertThat(leases(outcome)).containsExactly("a 10.0.0.6");
        assertThat(holds(outcome)).containsExactly("10.0.0.5 PT30S");
        assertThat(decisions(outcome))
                .containsExactlyInAnyOrder("DROP_LEASE 10.0.0.5", "REBUILD_LEASE 10.0.0.6", "QUARANTINE 10.0.0.5");
    }

    @Test
    void ofTwoLeasesOfOneAddressTheNewerCommitsCountsEvenIfTheOlderPodRuns() {
        RebuildPlan outcome = node.stale("a", 5, 10)
                .stale("b", 5, 20)
                .runs("a")
                .withoutKernel()
                .listed(5)
                .decide();

        assertThat(leases(outcome)).containsExactly("b 10.0.0.5");
    }

    @Test
    void anAddressThatMovedToAnotherEniIsOneAddressAndHasOneOwner() {
        RebuildPlan outcome = node.elsewhere("a", 5, 10)
                .stale("b", 5, 20)
                .connected("b", 5)
                .withoutApiServer()
                .listed(5)
                .decide();

        assertThat(leases(outcome)).containsExactly("b 10.0.0.5");
        assertThat(holds(outcome)).isEmpty();
    }

    @Test
    void theConnectedSandboxHasTheAddressWhateverTheDatabaseSays() {
        RebuildPlan outcome = node.stale("a", 5, 10)
                .stale("b", 5, 20)
                .connected("a", 5)
                .listed(5)
                .decide();

        assertThat(leases(outcome)).containsExactly("a 10.0.0.5");
        assertThat(decisions(outcome)).contains("DROP_LEASE 10.0.0.5", "KEEP_LEASE 10.0.0.5");
    }

    @Test
    void anAddressThatASandboxIsConnectedWithIsNotLentToAPodWhoseLeaseIsInDoubtThoughThatPodRuns() {
        RebuildPlan outcome =
                node.stale("a", 5, 10).runs("a").connected("b", 5).listed(5).decide();

        assertThat(leases(outcome)).containsExactly("b 10.0.0.5");
    }

    @Test
    void ofTwoSandboxesWithOneAddressTheRunningPodsHasItAndTheOtherIsTold() {
        RebuildPlan outcome =
                node.connected("a", 5).connected("b", 5).runs("b").listed(5).decide();

        assertThat(leases(outcome)).containsExactly("b 10.0.0.5");
        assertThat(outcome.decisions())
                .anySatisfy(decision -> assertThat(decision.why()).contains("delete that pod"));
    }

    @Test
    void aLeaseWhoseAddressWasGivenBackByALaterCommitIsOver() {
        RebuildPlan outcome = node.stale("a", 5, 10)
                .hold("a", 5, NOW.plusSeconds(5), false, 20)
                .runs("a")
                .connected("z", 9)
                .listed(5, 9)
                .decide();

        assertThat(leases(outcome)).containsExactly("z 10.0.0.9");
        assertThat(holds(outcome)).containsExactly("10.0.0.5 PT30S");
    }

    @Test
    void aHoldInDoubtLastsForAWholeCoolDownAndACertainOneAsLongAsItSays() {
        RebuildPlan outcome = node.hold("a", 5, NOW.plusSeconds(5), false, 10)
                .hold("b", 6, NOW.plusSeconds(5), true, 10)
                .hold("c", 7, NOW.plusSeconds(500), false, 10)
                .connected("z", 9)
                .listed(9)
                .decide();

        assertThat(holds(outcome)).containsExactly("10.0.0.5 PT30S", "10.0.0.6 PT5S", "10.0.0.7 PT8M20S");
    }

    @Test
    void anIdleAddressIsQuarantinedIfACommitIsMissingAndForAnHourWithoutTheKernel() {
        assertThat(holds(new Node().connected("b", 6).listed(5, 6).decide())).containsExactly("10.0.0.5 PT30S");
        assertThat(holds(new Node().listed(5).withoutKernel().decide())).containsExactly("10.0.0.5 PT1H");
        assertThat(holds(new Node().listed(5).whole().decide())).isEmpty();
    }

    @Test
    void aKernelThatKnowsNoSandboxSaysNothingAboutAnAddressWhoseCommitIsMissing() {
        RebuildPlan outcome = new Node().stale("a", 4, 10).listed(4, 5, 6).decide();

        assertThat(holds(outcome)).containsExactly("10.0.0.4 PT1H", "10.0.0.5 PT1H", "10.0.0.6 PT1H");
        assertThat(outcome.loss().isEmpty()).isFalse();
        assertThat(outcome.loss().words())
                .isEqualTo("up to 3 leases may be lost, as the kernel knows no sandbox; ended: default/a 10.0.0.4;"
                        + " possibly lent by a commit that is missing: 10.0.0.5, 10.0.0.6; no pod gets these addresses"
                        + " before 2026-11-21T13:00:00Z");
    }

    @Test
    void nothingIsLostWhereTheKernelTellsOfSandboxesOrNoCommitIsMissing() {
        assertThat(new Node().connected("a", 5).listed(5, 6).decide().loss().isEmpty())
                .isTrue();
        assertThat(new Node().listed(5).whole().decide().loss().isEmpty()).isTrue();
    }

    @Test
    void withNeitherKernelNorCloudNoAddressCanBeKeptAsideAndThatIsSaid() {
        RebuildPlan outcome = new Node().withoutKernel().withoutCloud().decide();

        assertThat(outcome.loss().words())
                .isEqualTo("leases may be lost, as the kernel did not answer; the cloud did not answer either, so that"
                        + " no other address can be kept aside");
    }

    @Test
    void aRunningPodThatNobodyElseKnowsOfKeepsItsAddressUnderAStandInsName() {
        RebuildPlan outcome = node.runsWith("a", 5).listed(5).whole().decide();

        assertThat(leases(outcome)).containsExactly("a 10.0.0.5");
        assertThat(Node.of(outcome, Change.PutLease.class))
                .allMatch(put -> PlaceholderPod.is(put.lease().owner()));
    }

    @Test
    void anAddressThatAPodCertainlyGaveBackIsNotKeptForItWhateverTheApiServerStillSays() {
        RebuildPlan outcome = node.hold("a", 5, NOW.plusSeconds(5), true, 10)
                .runsWith("a", 5)
                .listed(5)
                .decide();

        assertThat(leases(outcome)).isEmpty();
        assertThat(holds(outcome)).containsExactly("10.0.0.5 PT5S");
    }

    @Test
    void anAddressThatAPodHasByTheApiServerBesideItsOwnIsQuarantinedUnderNobodysName() {
        RebuildPlan outcome =
                node.connected("a", 6).runsWith("a", 5).listed(5, 6).whole().decide();

        assertThat(leases(outcome)).containsExactly("a 10.0.0.6");
        assertThat(holds(outcome)).containsExactly("10.0.0.5 PT30S");
        assertThat(Node.of(outcome, Change.PutHold.class))
                .allMatch(put ->
                        put.hold().pod().equals(Quarantine.UNKNOWN_POD)); // a start would read: the pod gave it back
    }

    @Test
    void aSandboxWhosePodNobodyKnowsHasAPodThatStandsIn() {
        RebuildPlan outcome = node.connectedNameless("a", 5).listed(5).decide();

        assertThat(Node.of(outcome, Change.PutLease.class)).singleElement().satisfies(put -> {
            assertThat(PlaceholderPod.is(put.lease().pod())).isTrue();
            assertThat(put.lease().owner()).isEqualTo(Node.sandbox("a"));
        });
    }

    @Test
    void aDisposalInDoubtIsFinishedOnlyIfTheKernelSaysThatNobodyHasTheAddress() {
        assertThat(decisions(new Node()
                        .dispose(5, false)
                        .connected("z", 9)
                        .listed(5, 9)
                        .decide()))
                .containsExactlyInAnyOrder("KEEP_PENDING dispose eni-a/10.0.0.5", "REBUILD_LEASE 10.0.0.9");
        assertThat(decisions(new Node().dispose(5, false).listed(5).decide()))
                .as("a kernel that knows no sandbox is no witness that the address is free")
                .containsExactlyInAnyOrder("DROP_PENDING dispose eni-a/10.0.0.5", "QUARANTINE 10.0.0.5");
        assertThat(decisions(
                        new Node().dispose(5, false).listed(5).withoutKernel().decide()))
                .containsExactlyInAnyOrder("DROP_PENDING dispose eni-a/10.0.0.5", "QUARANTINE 10.0.0.5");
        assertThat(decisions(
                        new Node().dispose(5, true).listed(5).withoutKernel().decide()))
                .containsExactlyInAnyOrder("KEEP_PENDING dispose eni-a/10.0.0.5");
        assertThat(decisions(
                        new Node().dispose(5, false).connected("a", 5).listed(5).decide()))
                .containsExactlyInAnyOrder("REBUILD_LEASE 10.0.0.5", "DROP_PENDING dispose eni-a/10.0.0.5");
    }

    @Test
    void twoFactoriesResourcesOfOneIdAreToldApart() {
        Resource one = Node.numbered("one", "10.0.0.5");
        Resource other = Node.numbered("other", "10.9.0.5");

        RebuildPlan held =
                new Node().held(one).held(other).has(one, other).whole().decide();
        assertThat(holds(held)).containsExactly("10.0.0.5 PT5S", "10.9.0.5 PT5S");

        RebuildPlan lent = new Node()
                .leased("a", one)
                .disposing(other)
                .has(one, other)
                .whole()
                .decide();
        assertThat(decisions(lent)).containsExactlyInAnyOrder("KEEP_LEASE 10.0.0.5", "KEEP_PENDING dispose number/5");
        assertThat(Node.of(lent, Change.PutIntent.class))
                .extracting(put -> put.intent().key())
                .containsExactly("other/number/5");

        assertThat(decisions(new Node()
                        .leased("a", one)
                        .held(other)
                        .has(one, other)
                        .whole()
                        .decide()))
                .containsExactlyInAnyOrder("KEEP_LEASE 10.0.0.5", "KEEP_HOLD 10.9.0.5");
    }

    @Test
    void whatWouldTakeALentAddressAwayIsNotFinished() {
        CloudOperation unassign = new CloudOperation.Unassign("eni-a", List.of("10.0.0.5"));
        CloudOperation other = new CloudOperation.Unassign("eni-a", List.of("10.0.0.6"));
        CloudOperation detach = new CloudOperation.Detach("eni-a", "i-1");
        CloudOperation delete = new CloudOperation.Delete("eni-b");

        RebuildPlan outcome = node.connected("a", 5)
                .listed(5)
                .operation(unassign, true)
                .operation(other, false)
                .operation(detach, false)
                .operation(delete, false)
                .decide();

        assertThat(decisions(outcome))
                .containsExactlyInAnyOrder(
                        "REBUILD_LEASE 10.0.0.5",
                        "DROP_PENDING unassign 10.0.0.5 from eni-a",
                        "KEEP_PENDING unassign 10.0.0.6 from eni-a",
                        "DROP_PENDING detach eni-a",
                        "KEEP_PENDING delete eni-b");
    }

    @Test
    void withoutTheKernelNothingInDoubtIsTakenAwayAndWhatMakesSomethingIsFinished() {
        RebuildPlan outcome = node.withoutKernel()
                .operation(new CloudOperation.Delete("eni-b"), false)
                .operation(new CloudOperation.Delete("eni-c"), true)
                .operation(new CloudOperation.Create("token", "vsw", List.of("sg"), Map.of(), 0), false)
                .operation(new CloudOperation.Attach("eni-d", "i-1"), false)
                .operation(new CloudOperation.Assign("eni-d", 1, 0, "t"), false)
                .create("request-1")
                .decide();

        assertThat(decisions(outcome))
                .containsExactlyInAnyOrder(
                        "KEEP_PENDING create request-1",
                        "DROP_PENDING delete eni-b",
                        "KEEP_PENDING delete eni-c",
                        "KEEP_PENDING create token",
                        "KEEP_PENDING attach eni-d",
                        "KEEP_PENDING assign eni-d");
    }

    @Test
    void aSandboxThatIsLeftToTheStartMayHaveWhatWouldBeTaken() {
        RebuildPlan outcome = node.connected("a", 5)
                .withoutCloud()
                .operation(new CloudOperation.Unassign("eni-a", List.of("10.0.0.9")), false)
                .decide();

        assertThat(decisions(outcome))
                .containsExactlyInAnyOrder("LEAVE 10.0.0.5", "DROP_PENDING unassign 10.0.0.9 from eni-a");
    }

    @Test
    void theNewDatabaseIsUnsettledSoThatTheStartComparesOnceMore() {
        RebuildPlan outcome = node.copy("a").decide();

        assertThat(Node.of(outcome, Change.PutNode.class)
                        .map(Change.PutNode::node)
                        .map(NodeRecord::settled))
                .containsExactly(false);
        assertThat(Node.of(outcome, Change.PutPod.class)).hasSize(1);
    }

    /** Whatever is left and whoever answers. */
    @Test
    void noAddressIsLentTwiceAndNoConnectedSandboxLosesItsAddress() {
        for (int seed = 1; seed <= 5000; seed++) {
            Random random = new Random(seed);
            Node any = new Node();
            Set<Integer> connected = new HashSet<>();
            Set<Integer> held = new HashSet<>();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                String pod = "p" + random.nextInt(6);
                int address = 1 + random.nextInt(5);
                switch (random.nextInt(6)) {
                    case 0 -> any.stale(pod + "-" + i, address, random.nextInt(40));
                    case 1 -> {
                        if (held.add(address)) { // the database has one hold of each
                            any.hold(pod, address, NOW.plusSeconds(random.nextInt(60)), false, random.nextInt(40));
                        }
                    }
                    case 2 -> {
                        if (connected.add(address)) {
                            any.connected(pod + "-" + i, address);
                            expected.add(pod + "-" + i + " 10.0.0." + address);
                        }
                    }
                    case 3 -> any.runsWith(pod + "-" + random.nextInt(12), address);
                    case 4 -> any.dispose(address, random.nextBoolean());
                    default ->
                        any.operation(
                                new CloudOperation.Unassign("eni-a", List.of("10.0.0." + address)),
                                random.nextBoolean());
                }
            }
            any.listed(1, 2, 3, 4, 5);
            if (random.nextBoolean()) {
                any.withoutApiServer();
            }
            RebuildPlan outcome = any.decide();
            List<String> lent =
                    leases(outcome).stream().map(line -> line.split(" ")[1]).toList();
            assertThat(lent).as("seed " + seed).doesNotHaveDuplicates();
            assertThat(leases(outcome)).as("seed " + seed).containsAll(expected);
            assertThat(holds(outcome).stream().map(line -> line.split(" ")[0]))
                    .as("seed " + seed)
                    .noneMatch(lent::contains)
                    .doesNotHaveDuplicates();
            Set<String> taken = new HashSet<>();
            Node.of(outcome, Change.PutIntent.class)
                    .forEach(put -> taken.add(put.intent().token().replace("eni-a/", "")));
            Node.of(outcome, Change.PutOperation.class)
                    .forEach(put ->
                            taken.addAll(((CloudOperation.Unassign) put.entry().operation()).ips()));
            assertThat(taken).as("seed " + seed).noneMatch(lent::contains);
            Set<String> decided = new HashSet<>(lent);
            holds(outcome).forEach(line -> decided.add(line.split(" ")[0]));
            decided.addAll(taken);
            assertThat(decided).as("seed " + seed).contains("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5");
        }
    }
}
