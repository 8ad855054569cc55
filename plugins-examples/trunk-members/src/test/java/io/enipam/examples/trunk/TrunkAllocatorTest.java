package io.enipam.examples.trunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.testing.PluginNode;
import io.enipam.emulator.cloud.CloudSnapshot.EniEntry;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Decision;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Family;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Wishes;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import io.enipam.sdk.testkit.TestContext;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The allocator on an emulated cloud, its effects performed as the host does. */
@Timeout(120)
class TrunkAllocatorTest {
    private record Pod(Kind kind, String name, Map<String, String> labels, Map<String, String> annotations)
            implements Subject {}

    private record Asked(Set<Family> families, List<InetAddress> addresses, Map<String, String> parameters)
            implements Wishes {}

    private record Call(ClaimId id, Subject subject, Wishes wishes, Instant deadline) implements Claim {}

    @AutoClose
    private final PluginNode node = new PluginNode("ecs.g6.16xlarge", Map.of("vsw-1", "10.0.0.0/22"));

    private final List<String> groups = node.securityGroups();
    private final TestClock clock = TestClock.running();
    private final Ledger ledger = new Ledger(new InMemoryJournal(), TrunkPlugin.NAME, clock);
    private final TrunkAllocator allocator = open();

    private TrunkAllocator open(String... settings) {
        TrunkPlugin plugin = new TrunkPlugin();
        TestContext.Builder context = TestContext.builder()
                .settings(plugin.settings())
                .clock(clock)
                .journal(ledger.journal())
                .service(Cloud.class, node.lend("trunk-members"));
        for (int i = 0; i < settings.length; i += 2) {
            context.value(settings[i], settings[i + 1]);
        }
        return (TrunkAllocator) plugin.extensions().get(0).open(context.build());
    }

    @Test
    void aPodGetsAnEniOfItsOwnInItsSecurityGroupsAndTheGrantNamesItsVlan() throws Exception {
        Grant first = (Grant) serve(allocator, asking("web-0", groups.get(3), groups.get(4)));
        Grant second = (Grant) serve(allocator, asking("web-1", groups.get(5)));

        EniEntry eni = eni(first);
        assertThat(eni.securityGroups()).containsExactly(groups.get(3), groups.get(4));
        assertThat(eni.status()).isEqualTo("InUse");
        assertThat(first.prefixes()).singleElement().satisfies(prefix -> {
            assertThat(prefix.address()).hasToString(eni.addresses().primaryIp() + "/22");
            assertThat(prefix.gateway())
                    .hasValueSatisfying(
                            gateway -> assertThat(gateway.getHostAddress()).isEqualTo("10.0.3.253"));
        });
        assertThat(first.attributes()).containsEntry(Member.VLAN, "1").containsKeys(Member.MAC, Member.TRUNK);
        assertThat(second.attributes()).containsEntry(Member.VLAN, "2");
        assertThat(second.attributes().get(Member.TRUNK))
                .isEqualTo(first.attributes().get(Member.TRUNK));
        assertThat(node.enis()).as("the trunk and two members").hasSize(3);
    }

    @Test
    void theAnnotationOfThePodIsAsGood() throws Exception {
        Claim claim = new Call(
                new ClaimId("net/web-0/eth0"),
                new Pod(
                        Subject.Kind.POD,
                        "default/web-0",
                        Map.of(),
                        Map.of(TrunkAllocator.ANNOTATION, "[\"" + groups.get(3) + "\"]")),
                new Asked(Set.of(), List.of(), Map.of()),
                Instant.now().plusSeconds(60));

        assertThat(eni((Grant) serve(allocator, claim)).securityGroups()).containsExactly(groups.get(3));
    }

    @Test
    void aPodThatNamesNoGroupGetsNothing() throws Exception {
        assertThat(serve(allocator, asking("web-0")))
                .isInstanceOfSatisfying(
                        Decision.Refusal.class,
                        refusal -> assertThat(refusal.why()).contains(TrunkAllocator.ANNOTATION));
        assertThat(node.enis()).isEmpty();
    }

    @Test
    void theEniGoesWithThePodAndTheTrunkWithTheLastOne() throws Exception {
        Grant first = (Grant) serve(allocator, asking("web-0", groups.get(3)));
        Grant second = (Grant) serve(allocator, asking("web-1", groups.get(3)));

        release(first.claim());
        assertThat(node.enis()).hasSize(2);
        release(second.claim());
        assertThat(node.enis()).isEmpty();
    }

    /** amazon-vpc-cni-k8s 1203: a trunk that could not be made kept its slot reserved, and other ENIs were never attached. */
    @Test
    void aTrunkThatCannotBeAttachedIsReportedAndTakesNoSlot() throws Exception {
        node.refuseNext("AttachNetworkInterface", "EniPerInstanceLimitExceeded");

        assertThat(serve(allocator, asking("web-0", groups.get(3))))
                .isInstanceOfSatisfying(Decision.Refusal.class, refusal -> {
                    assertThat(refusal.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
                    assertThat(refusal.why()).contains("trunk", "EniPerInstanceLimitExceeded");
                });
        assertThat(node.enis()).isEmpty();
        assertThat(allocator.checks().get(0).run(null))
                .singleElement()
                .satisfies(finding -> assertThat(finding.why()).contains("EniPerInstanceLimitExceeded"));

        // the next pod tries again, and nothing is in its way
        assertThat(serve(allocator, asking("web-1", groups.get(3)))).isInstanceOf(Grant.class);
        assertThat(allocator.checks().get(0).run(null)).isEmpty();
    }

    @Test
    void aGroupThatDoesNotExistIsToldAtOnceAndLeavesNothing() throws Exception {
        Claim claim = asking("web-0", "sg-none");
        assertThat(serve(allocator, claim))
                .isInstanceOfSatisfying(
                        Decision.Refusal.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.MISCONFIGURED));

        release(claim.id());
        assertThat(node.enis()).isEmpty();
        assertThat(serve(allocator, asking("web-0", groups.get(3)))).isInstanceOf(Grant.class);
    }

    /** amazon-vpc-cni-k8s 2892: pods waited for ever on a node that had no more of what they asked for. */
    @Test
    void aFullNodeRefusesAtOnce() throws Exception {
        TrunkAllocator small = open("max_members", "1");
        serve(small, asking("web-0", groups.get(3)));

        assertThat(serve(small, asking("web-1", groups.get(3))))
                .isInstanceOfSatisfying(
                        Decision.Refusal.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED));
    }

    @Test
    void aClaimThatIsGivenUpWhileItsEniIsMadeLeavesNothing() throws Exception {
        Claim claim = asking("web-0", groups.get(3));
        assertThat(get(ledger.allocate(claim, allocator))).isInstanceOf(Decision.Later.class);
        PendingEffect create = ledger.effects().get(0);
        get(allocator.perform(create.attempt(1)));

        // its process ended before it forgot the effect, and the caller has gone
        get(ledger.release(claim.id(), allocator));
        drain(open());
        assertThat(node.enis()).isEmpty();
        assertThat(get(allocator.observe())).isEmpty();
    }

    @Test
    void podsThatComeTogetherShareOneTrunk() throws Exception {
        List<CompletionStage<EffectResult>> performing = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            get(ledger.allocate(asking("web-" + i, groups.get(3)), allocator));
        }
        List<PendingEffect> effects = ledger.effects();
        effects.forEach(effect -> performing.add(allocator.perform(effect.attempt(1))));
        for (int i = 0; i < performing.size(); i++) {
            assertThat(get(performing.get(i))).isInstanceOf(EffectResult.Performed.class);
            get(ledger.forget(effects.get(i), () -> true));
        }

        assertThat(node.enis()).hasSize(7);
        assertThat(get(allocator.observe()).stream()
                        .map(grant -> grant.attributes().get(Member.VLAN)))
                .containsExactlyInAnyOrder("1", "2", "3", "4", "5", "6");
    }

    private static Claim asking(String pod, String... groups) {
        Map<String, String> parameters =
                groups.length == 0 ? Map.of() : Map.of("args.securityGroups", String.join(",", groups));
        return new Call(
                new ClaimId("net/" + pod + "/eth0"),
                new Pod(Subject.Kind.POD, "default/" + pod, Map.of(), Map.of()),
                new Asked(Set.of(), List.of(), parameters),
                Instant.now().plusSeconds(60));
    }

    private Decision serve(TrunkAllocator by, Claim claim) throws Exception {
        Decision decision = get(ledger.allocate(claim, by));
        for (int turn = 0; decision instanceof Decision.Later && turn < 10; turn++) {
            drain(by);
            decision = get(ledger.allocate(claim, by));
        }
        return decision;
    }

    private void release(ClaimId claim) throws Exception {
        get(ledger.release(claim, allocator));
        drain(allocator);
    }

    private void drain(TrunkAllocator by) throws Exception {
        for (List<PendingEffect> left = ledger.effects(); !left.isEmpty(); left = ledger.effects()) {
            assertThat(get(by.perform(left.get(0).attempt(1)))).isInstanceOf(EffectResult.Performed.class);
            get(ledger.forget(left.get(0), () -> true));
        }
    }

    private EniEntry eni(Grant grant) {
        return node.emulator()
                .snapshot()
                .eni(grant.attributes().get(Member.ENI))
                .orElseThrow();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
