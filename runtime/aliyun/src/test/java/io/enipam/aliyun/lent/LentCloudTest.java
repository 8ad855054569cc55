package io.enipam.aliyun.lent;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.testing.PluginNode;
import io.enipam.emulator.cloud.CloudSnapshot.EniEntry;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.engine.port.EniSweeper;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cloud.CloudInstance;
import io.enipam.sdk.cloud.Eni;
import io.enipam.sdk.cloud.EniRequest;
import io.enipam.sdk.cloud.Outcome;
import io.enipam.sdk.cloud.RouteEntry;
import io.enipam.sdk.cloud.VSwitch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cloud as a plugin gets it, over HTTP with the real SDK against the emulator. */
@Timeout(120)
class LentCloudTest {
    @AutoClose
    private final PluginNode node = new PluginNode("ecs.g6.16xlarge", Map.of("vsw-1", "10.0.0.0/22"));

    private final Cloud cloud = node.lend("members");
    /** What calls of a cloud that hangs wait for. */
    private final CompletableFuture<CloudLender.Session> session = new CompletableFuture<>();

    @Test
    void aPluginLearnsWhatItsNodeIs() throws Exception {
        CloudInstance instance = done(cloud.instance());
        assertThat(instance.type()).isEqualTo("ecs.g6.16xlarge");
        assertThat(instance.limits()).isEqualTo(new CloudInstance.Limits(8, 20, 1, 52));

        VSwitch place = done(cloud.vSwitches()).get(0);
        assertThat(place.id()).isEqualTo("vsw-1");
        assertThat(place.prefixLength()).isEqualTo(22);
        assertThat(place.gateway().getHostAddress()).isEqualTo("10.0.3.253");
    }

    @Test
    void anEniIsMadeAttachedTakenOffAndDeletedAndEachStepMayBeRepeated() throws Exception {
        EniRequest request = EniRequest.of(Eni.Kind.SECONDARY, "first");
        Eni made = done(cloud.create(request, token("c")));
        assertThat(done(cloud.create(request, token("c"))).id())
                .as("the same token")
                .isEqualTo(made.id());
        assertThat(made.status()).isEqualTo(Eni.Status.AVAILABLE);

        for (int i = 0; i < 2; i++) {
            Eni attached = done(cloud.attach(made.id()));
            assertThat(attached.status()).isEqualTo(Eni.Status.IN_USE);
            assertThat(attached.label()).isEqualTo("first");
        }
        assertThat(done(cloud.enis())).extracting(Eni::id).containsExactly(made.id());
        assertThat(refused(cloud.delete(made.id())).failure().kind()).isEqualTo(ErrorKind.CONFLICT);
        for (int i = 0; i < 2; i++) {
            done(cloud.detach(made.id()));
        }
        for (int i = 0; i < 2; i++) {
            done(cloud.delete(made.id()));
        }
        assertThat(node.enis()).isEmpty();
        assertThat(done(cloud.enis())).isEmpty();
    }

    @Test
    void addressesAndPrefixesComeAndGo() throws Exception {
        String eni = done(cloud.create(EniRequest.of(Eni.Kind.SECONDARY, ""), token("c")))
                .id();
        List<String> prefixes = done(cloud.assignPrefixes(eni, 3, token("p")));
        assertThat(prefixes).hasSize(3);
        assertThat(done(cloud.assignPrefixes(eni, 3, token("p")))).isEqualTo(prefixes);
        List<String> addresses = done(cloud.assignAddresses(eni, 2, token("a")));
        assertThat(node.enis().get(0).addresses().ipv4Prefixes()).isEqualTo(prefixes);

        // one of them is off already: the cloud refuses all three, and the others go nevertheless
        done(cloud.unassignPrefixes(eni, prefixes.subList(0, 1)));
        done(cloud.unassignPrefixes(eni, prefixes));
        done(cloud.unassignAddresses(eni, addresses));
        EniEntry left = node.enis().get(0);
        assertThat(left.addresses().ipv4Prefixes()).isEmpty();
        assertThat(left.addresses().privateIps()).hasSize(1);
    }

    @Test
    void aMemberOfATrunkHasItsVlan() throws Exception {
        String trunk = done(cloud.create(EniRequest.of(Eni.Kind.TRUNK, "trunk"), token("t")))
                .id();
        done(cloud.attach(trunk));
        String member = done(cloud.create(EniRequest.of(Eni.Kind.SECONDARY, "m"), token("m")))
                .id();

        Eni attached = done(cloud.attachMember(member, trunk));
        assertThat(attached.kind()).isEqualTo(Eni.Kind.MEMBER);
        assertThat(attached.attachment().trunk()).contains(trunk);
        assertThat(attached.attachment().deviceIndex()).isEqualTo(1);
        assertThat(refused(cloud.attach(member)).failure().kind())
                .as("attached, and elsewhere")
                .isEqualTo(ErrorKind.CONFLICT);
    }

    @Test
    void routesAreAddedListedAndRemovedOnce() throws Exception {
        String table = node.emulator().routeTable();
        RouteEntry.Hop here =
                RouteEntry.Hop.instance(node.emulator().instanceIds().get(0));
        RouteEntry entry = new RouteEntry(table, "10.244.0.0/24", here);
        assertThat(done(cloud.addRoute(entry, token("r")))).isTrue();
        assertThat(done(cloud.addRoute(entry, token("another")))).isFalse();
        assertThat(done(cloud.routes(table))).containsExactly(entry);

        assertThat(done(cloud.removeRoute(entry))).isTrue();
        assertThat(done(cloud.removeRoute(entry))).isFalse();
        assertThat(refused(cloud.routes("vtb-none")).failure().kind()).isEqualTo(ErrorKind.MISCONFIGURED);
    }

    @Test
    void aReplicaOfRoleClusterHasTheRoutesAndNoEnisAndChangesNothingWhileAnotherOneLeads() throws Exception {
        AtomicBoolean leads = new AtomicBoolean(true);
        String table = node.emulator().routeTable();
        String instance = node.emulator().instanceIds().get(0);
        RouteEntry entry = new RouteEntry(table, "10.244.1.0/24", RouteEntry.Hop.instance(instance));
        try (CloudLender first = node.replica(leads::get);
                CloudLender second = node.replica(() -> !leads.get())) {
            Cloud one = first.lend("routes");
            Cloud two = second.lend("routes");
            assertThat(done(one.addRoute(entry, token("uid-1")))).isTrue();
            Outcome.NotDone<?> notDone = refused(two.removeRoute(entry));
            assertThat(notDone.failure().kind()).isEqualTo(ErrorKind.UNAVAILABLE);
            assertThat(notDone.failure().message()).contains("does not lead");
            assertThat(done(two.routes(table))).containsExactly(entry);
            assertThat(done(two.vSwitch("vsw-1")).prefixLength()).isEqualTo(22);

            leads.set(false);
            assertThat(done(two.addRoute(entry, token("uid-1"))))
                    .as("the token of the former leader, whose answer was lost")
                    .isTrue();
            assertThat(done(two.removeRoute(entry))).isTrue();
            assertThat(refused(one.addRoute(entry, token("uid-2"))).unknown()).isFalse();
            assertThat(done(one.routes(table))).isEmpty();

            List<CompletionStage<? extends Outcome<?>>> ofNodes = List.of(
                    one.instance(),
                    one.vSwitches(),
                    one.enis(),
                    one.create(EniRequest.of(Eni.Kind.SECONDARY, ""), token("c")),
                    one.attach("eni-1"),
                    one.delete("eni-1"),
                    one.assignPrefixes("eni-1", 1, token("p")));
            for (CompletionStage<? extends Outcome<?>> call : ofNodes) {
                assertThat(call.toCompletableFuture().get(60, TimeUnit.SECONDS))
                        .isInstanceOfSatisfying(
                                Outcome.NotDone.class,
                                no -> assertThat(no.failure().kind()).isEqualTo(ErrorKind.MISCONFIGURED));
            }
        }
    }

    @Test
    void aPluginChangesNoEniThatIsNotItsOwn() throws Exception {
        String other = done(node.lend("another").create(EniRequest.of(Eni.Kind.SECONDARY, ""), token("c")))
                .id();

        Outcome.NotDone<?> notDone = refused(cloud.delete(other));
        assertThat(notDone.failure().kind()).isEqualTo(ErrorKind.MISCONFIGURED);
        assertThat(notDone.failure().message()).contains(other, "members");
        assertThat(node.enis()).hasSize(1);
        assertThat(done(cloud.enis())).isEmpty();
    }

    @Test
    void theSameTokenOfTwoPluginsMakesTwo() throws Exception {
        EniRequest request = EniRequest.of(Eni.Kind.SECONDARY, "x");
        String mine = done(cloud.create(request, token("grow-1"))).id();
        String other =
                done(node.lend("another").create(request, token("grow-1"))).id();

        assertThat(other).isNotEqualTo(mine);
    }

    @Test
    void whatAPluginMakesIsTaggedAsTheNodesAndIsNoForeignEni() throws Exception {
        done(cloud.create(EniRequest.of(Eni.Kind.SECONDARY, "left"), token("c")));

        assertThat(node.enis().get(0).tags())
                .containsEntry("creator", "enipam-plugins")
                .containsEntry("node", node.emulator().instanceIds().get(0))
                .containsEntry("enipam-plugin", "members")
                .containsEntry("enipam-label", "left");
    }

    @Test
    void theSweepLooksAtThemAndTakesNoneThatIsYoung() throws Exception {
        String left = done(cloud.create(EniRequest.of(Eni.Kind.SECONDARY, ""), token("c")))
                .id();
        String used = done(cloud.create(EniRequest.of(Eni.Kind.SECONDARY, ""), token("d")))
                .id();
        done(cloud.attach(used));

        EniSweeper.Report report =
                node.daemon().sweeper().sweep(false).toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(report.examined()).isEqualTo(2);
        assertThat(report.candidates()).singleElement().satisfies(candidate -> {
            assertThat(candidate.id()).isEqualTo(left);
            assertThat(candidate.taken()).isFalse();
            assertThat(candidate.reason()).contains("younger");
        });
    }

    @Test
    void aCallCountsInTheDaemonsOwnLimits() throws Exception {
        node.fault(FaultRule.on("CreateNetworkInterface").does(new Effect.Throttle()));

        Outcome.NotDone<?> notDone =
                refused(cloud.within(Duration.ofSeconds(5)).create(EniRequest.of(Eni.Kind.SECONDARY, ""), token("c")));
        assertThat(notDone.failure().kind()).isIn(ErrorKind.THROTTLED, ErrorKind.DEADLINE_EXCEEDED);
        assertThat(node.events().types()).contains("ApiThrottled");
    }

    @Test
    void anAnswerThatIsLostIsMadeUpForByTheToken() throws Exception {
        node.fault(FaultRule.on("AssignPrivateIpAddresses").atMost(1).does(new Effect.DropAnswer()));
        String eni = done(cloud.create(EniRequest.of(Eni.Kind.SECONDARY, ""), token("c")))
                .id();

        List<String> prefixes = done(cloud.assignPrefixes(eni, 1, token("p")));
        assertThat(node.enis().get(0).addresses().ipv4Prefixes()).isEqualTo(prefixes);
    }

    @Test
    void aCloudThatIsAwayIsAFailureAndNoException() throws Exception {
        try (CloudLender away = new CloudLender(
                () -> {
                    throw new FactoryException(ErrorKind.UNAVAILABLE, "the metadata service does not answer");
                },
                node.time())) {
            assertThat(refused(away.lend("members").enis()).failure().message()).contains("metadata service");
        }
    }

    @Test
    void ofMoreCallsThanWaitTheLastIsRefusedAndAllOthersAreServed() throws Exception {
        try (CloudLender hanging = new CloudLender(session::join, node.time())) {
            Cloud slow = hanging.lend("members");
            List<CompletionStage<Outcome<CloudInstance>>> asked = new ArrayList<>();
            for (int i = 0; i < 16 + 512; i++) {
                asked.add(slow.within(Duration.ofMinutes(1)).instance());
            }
            assertThat(refused(slow.instance()).failure().kind()).isEqualTo(ErrorKind.THROTTLED);
            session.complete(node.daemon().lend());
            for (CompletionStage<Outcome<CloudInstance>> one : asked) {
                done(one);
            }
        }
    }

    @Test
    void aCloudThatHangsIsOverForEachCallerAtItsOwnDeadline() throws Exception {
        try (CloudLender hanging = new CloudLender(session::join, node.time())) {
            Outcome.NotDone<?> late = refused(
                    hanging.lend("members").within(Duration.ofSeconds(5)).enis());
            assertThat(late.failure().kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
            assertThat(late.unknown()).isTrue();
            session.complete(node.daemon().lend());
        }
    }

    @Test
    void whenTheDaemonStopsCallsThatWaitAreRefusedAndOneThatHangsIsOverAtItsDeadline() throws Exception {
        CountDownLatch out = new CountDownLatch(16);
        CloudLender hanging = new CloudLender(
                () -> {
                    out.countDown();
                    return session.join();
                },
                node.time());
        Cloud slow = hanging.lend("members").within(Duration.ofMinutes(10));
        CompletionStage<Outcome<CloudInstance>> hangs =
                slow.within(Duration.ofSeconds(5)).instance();
        for (int i = 1; i < 16; i++) {
            slow.instance();
        }
        assertThat(out.await(60, TimeUnit.SECONDS)).isTrue();
        CompletionStage<Outcome<CloudInstance>> waits = slow.instance();
        hanging.close();

        assertThat(refused(waits).failure().kind()).isEqualTo(ErrorKind.UNAVAILABLE);
        assertThat(refused(slow.instance()).failure().kind()).isEqualTo(ErrorKind.UNAVAILABLE);
        assertThat(refused(hangs).failure().kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
        session.complete(node.daemon().lend());
    }

    private static RequestToken token(String text) {
        return new RequestToken(text);
    }

    private static <T> T done(CompletionStage<Outcome<T>> stage) throws Exception {
        return outcome(stage).fold(value -> value, notDone -> {
            throw new AssertionError("not done: " + notDone);
        });
    }

    private static <T> Outcome.NotDone<T> refused(CompletionStage<Outcome<T>> stage) throws Exception {
        return outcome(stage)
                .fold(
                        value -> {
                            throw new AssertionError("done: " + value);
                        },
                        notDone -> notDone);
    }

    private static <T> Outcome<T> outcome(CompletionStage<Outcome<T>> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
