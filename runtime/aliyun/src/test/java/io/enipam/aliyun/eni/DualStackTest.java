package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.engine.model.DatapathRequest.Gateways;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.Address;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Each resource has an IPv4 and an IPv6 address of one ENI, whatever the cloud does in between. */
class DualStackTest {
    private final FactoryFixture bench = FactoryFixture.dual(2, 4, 4).dualVSwitch("vsw-1", 100);

    private static String six(Resource resource) {
        return resource.addresses().get(1).host();
    }

    private static KnownAddressPairs.Pair pair(Resource resource) {
        return new KnownAddressPairs.Pair(resource.addresses().get(0).host(), ResourceMapper.of(resource, Family.IPV6));
    }

    private void nothingIsHalf() {
        assertThat(bench.cloud.ipv6Addresses()).hasSameSizeAs(bench.cloud.addresses());
    }

    @Test
    void aResourceHasAnAddressOfBothFamiliesAndThePrimaryOneToo() {
        List<Resource> made = bench.get(3);

        assertThat(made).hasSize(3).allSatisfy(resource -> {
            assertThat(resource.addresses()).extracting(Address::family).containsExactly(Family.IPV4, Family.IPV6);
            assertThat(resource.addresses().get(1).prefixLength()).isEqualTo(64);
            assertThat(Gateways.of(resource, Family.IPV6)).contains("2001:db8:0:1:ffff:ffff:ffff:fffd");
            assertThat(Gateways.of(resource, Family.IPV4)).contains("10.0.1.253");
        });
        assertThat(made).filteredOn(Resource::primary).hasSize(1);
        assertThat(made.stream().map(DualStackTest::six)).doesNotHaveDuplicates();
        assertThat(bench.cloud.calls(Call.ASSIGN)).isEqualTo(1);
        assertThat(bench.cloud.calls(Call.ASSIGN_IPV6)).isEqualTo(1);
        nothingIsHalf();
    }

    @Test
    void theScarcerFamilyIsTheCapacity() {
        FactoryFixture scarce = FactoryFixture.dual(3, 6, 1).dualVSwitch("vsw-1", 100);

        assertThat(scarce.factory().capabilities().capacity()).isEqualTo(3);
        assertThat(scarce.factory().capabilities().families()).containsExactlyInAnyOrder(Family.IPV4, Family.IPV6);
        List<CompletableFuture<CreateResult>> asked = scarce.ask(4);
        scarce.time.advance(Duration.ofMinutes(1));
        assertThat(FactoryFixture.resources(asked)).hasSize(3);
        assertThat(FactoryFixture.failures(asked)).extracting(Failed::kind).containsExactly(ErrorKind.QUOTA_EXHAUSTED);
    }

    @Test
    void bothAddressesGoBackInOneCallEach() {
        List<Resource> made = bench.get(4);

        List<CompletableFuture<DisposeResult>> gone = bench.giveBack(
                made.stream().filter(resource -> !resource.primary()).toList());
        bench.time.advance(Duration.ofSeconds(10));

        assertThat(gone).allMatch(result -> result.join() instanceof Disposed);
        assertThat(bench.cloud.calls(Call.UNASSIGN)).isEqualTo(1);
        assertThat(bench.cloud.calls(Call.UNASSIGN_IPV6)).isEqualTo(1);
        assertThat(bench.cloud.addresses()).hasSize(1);
        nothingIsHalf();
    }

    @Test
    void theIntentionNamesBothFamiliesBeforeTheCloudIsAsked() {
        List<Resource> made = bench.get(2);
        bench.giveBack(made.stream().filter(resource -> !resource.primary()).toList());
        bench.time.advance(Duration.ofSeconds(10));

        assertThat(bench.journal.begun())
                .extracting(entry -> entry.operation())
                .anySatisfy(operation -> assertThat(operation)
                        .isInstanceOfSatisfying(
                                CloudOperation.Create.class,
                                create -> assertThat(create.ipv6Count()).isEqualTo(1)))
                .anySatisfy(operation -> assertThat(operation)
                        .isInstanceOfSatisfying(
                                CloudOperation.Assign.class,
                                assign -> assertThat(List.of(assign.count(), assign.ipv6Count()))
                                        .containsExactly(1, 1)))
                .anySatisfy(operation -> assertThat(operation)
                        .isInstanceOfSatisfying(
                                CloudOperation.Unassign.class,
                                unassign -> assertThat(unassign.ips())
                                        .anyMatch(ip -> ip.contains(":"))
                                        .anyMatch(ip -> ip.contains("."))
                                        .hasSize(2)));
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void aCloudThatGivesFewerIpv6AddressesIsAskedAgainForTheRest() {
        bench.cloud.assignIpv6AtMost(1);

        List<Resource> made = bench.get(4);

        assertThat(made).hasSize(4).allMatch(resource -> resource.addresses().size() == 2);
        assertThat(bench.cloud.calls(Call.ASSIGN)).isEqualTo(1);
        nothingIsHalf();
    }

    @Test
    void whoGetsNoIpv6AddressFailsAndHisIpv4AddressGoesBack() {
        bench.get(1);
        bench.cloud.failNext(Call.ASSIGN_IPV6, "Throttling.User", 400);

        List<CompletableFuture<CreateResult>> asked = bench.ask(2);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(FactoryFixture.failures(asked)).extracting(Failed::kind).containsOnly(ErrorKind.THROTTLED);
        assertThat(asked).allMatch(CompletableFuture::isDone);
        assertThat(bench.cloud.addresses()).hasSize(1);
        nothingIsHalf();
        assertThat(bench.get(2)).hasSize(2);
        nothingIsHalf();
    }

    @Test
    void aLostAnswerOfTheIpv6CallLosesNoAddress() {
        bench.get(1);
        bench.cloud.loseAnswerOf(Call.ASSIGN_IPV6);

        List<Resource> made = bench.get(2);

        assertThat(made).hasSize(2).allMatch(resource -> resource.addresses().size() == 2);
        nothingIsHalf();
    }

    @Test
    void aFullEniByTheCloudsCountIsReadAgain() {
        List<Resource> first = bench.get(1);
        bench.cloud.giveIpv6(first.get(0).parent(), "2001:db8:0:1::ff");
        bench.cloud.giveIpv6(first.get(0).parent(), "2001:db8:0:1::fe");

        List<Resource> made = bench.get(3);

        assertThat(made).hasSize(3);
        assertThat(made.stream().map(DualStackTest::six)).contains("2001:db8:0:1::ff", "2001:db8:0:1::fe");
        nothingIsHalf();
    }

    @Test
    void aLateIpv6AddressOfNobodyGoesBack() {
        List<Resource> made = bench.get(1);
        bench.cloud.giveIpv6(made.get(0).parent(), "2001:db8:0:1::ff");

        assertThat(bench.list()).hasSize(1);
        bench.time.advance(Duration.ofSeconds(10));

        assertThat(bench.cloud.ipv6Addresses()).doesNotContain("2001:db8:0:1::ff");
        nothingIsHalf();
    }

    @Test
    void halfADisposalIsFinishedByTheNextTry() {
        List<Resource> made = bench.get(2);
        List<Resource> secondary = made.stream().filter(it -> !it.primary()).toList();
        bench.cloud.failNext(Call.UNASSIGN, "Operation.Conflict", 403);

        List<CompletableFuture<DisposeResult>> first = bench.giveBack(secondary);
        bench.time.advance(Duration.ofSeconds(10));
        assertThat(first.get(0).join()).isInstanceOf(Failed.class);
        assertThat(bench.list()).as("half unmade").hasSize(1);

        List<CompletableFuture<DisposeResult>> second = bench.giveBack(secondary);
        bench.time.advance(Duration.ofSeconds(10));
        assertThat(second.get(0).join()).isInstanceOf(Disposed.class);
        assertThat(bench.cloud.addresses()).hasSize(1);
        nothingIsHalf();
    }

    @Test
    void aPodsTwoAddressesAreFoundTogetherAfterARestart() {
        List<Resource> made = bench.get(4);
        // the cloud names the pods' addresses in another order from now on
        Resource last = made.get(3);
        Resource other = made.get(1);
        bench.cloud.steal(last.parent(), six(other));
        bench.cloud.giveIpv6(last.parent(), six(other));
        bench.known = List.of(pair(last), pair(other));

        List<Resource> found = bench.restart();

        assertThat(found).hasSize(4);
        for (Resource leased : List.of(last, other)) {
            assertThat(found.get(found.indexOf(leased)).addresses()).isEqualTo(leased.addresses());
        }
        assertThat(found.stream().map(DualStackTest::six)).doesNotHaveDuplicates();
    }

    @Test
    void aLostIpv6AddressTakesItsResourceOffTheListAndNobodyElseGetsTheOther() {
        List<Resource> made = bench.get(2);
        Resource hit = made.stream().filter(it -> !it.primary()).findFirst().orElseThrow();
        bench.known = List.of(pair(hit));
        bench.time.advance(Duration.ofMinutes(1));
        bench.cloud.steal(hit.parent(), six(hit));

        assertThat(bench.list()).doesNotContain(hit);
        assertThat(bench.events.of("EniAddressGone"))
                .singleElement()
                .satisfies(event -> assertThat(event).contains(six(hit)));
        assertThat(bench.restart()).as("after a restart").doesNotContain(hit);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.cloud.addresses())
                .as("the pod has it still")
                .contains(FactoryFixture.ips(List.of(hit)).get(0));
        assertThat(bench.get(2)).doesNotContain(hit);

        bench.giveBack(List.of(hit));
        bench.time.advance(Duration.ofSeconds(10));
        nothingIsHalf();
    }

    @Test
    void aLostIpv4AddressLeavesTheIpv6AddressToItsPodUntilThatGivesItBack() {
        List<Resource> made = bench.get(2);
        Resource hit = made.stream().filter(it -> !it.primary()).findFirst().orElseThrow();
        bench.known = List.of(pair(hit));
        bench.time.advance(Duration.ofMinutes(1));
        bench.cloud.steal(hit.parent(), hit.addresses().get(0).host());

        assertThat(bench.list()).doesNotContain(hit);
        assertThat(bench.get(2).stream().map(DualStackTest::six)).doesNotContain(six(hit));
        assertThat(bench.cloud.ipv6Addresses()).contains(six(hit));

        bench.known = List.of();
        assertThat(bench.giveBack(List.of(hit))).hasSize(1);
        bench.time.advance(Duration.ofSeconds(10));
        assertThat(bench.cloud.ipv6Addresses()).doesNotContain(six(hit));
        nothingIsHalf();
    }

    @Test
    void aPodOfTheTimeBeforeKeepsItsOneAddressAndIsListedWithIt() {
        Resource before;
        FactoryFixture single = FactoryFixture.dual(2, 4, 4)
                .dualVSwitch("vsw-1", 100)
                .with(settings -> FactoryFixture.dual(settings, 0));
        before = single.get(1).get(0);
        single.known =
                List.of(new KnownAddressPairs.Pair(before.addresses().get(0).host(), Optional.empty()));

        List<Resource> found =
                single.with(settings -> FactoryFixture.dual(settings, 4)).restart();

        assertThat(found).singleElement().satisfies(it -> {
            assertThat(it).isEqualTo(before);
            assertThat(it.addresses()).isEqualTo(before.addresses());
        });
        assertThat(single.get(2)).hasSize(2).allMatch(it -> it.addresses().size() == 2);
    }

    @Test
    void anEniOfTheTimeBeforeThatNobodyNeedsMakesRoom() {
        FactoryFixture single = FactoryFixture.dual(1, 4, 4)
                .dualVSwitch("vsw-1", 100)
                .with(settings -> FactoryFixture.dual(settings, 0));
        single.get(3);

        List<Resource> found =
                single.with(settings -> FactoryFixture.dual(settings, 4)).restart();
        single.time.advance(Duration.ofMinutes(1));

        assertThat(found).isEmpty();
        assertThat(single.cloud.all()).isEmpty();
        assertThat(single.get(2)).hasSize(2);
    }

    @Test
    void aVSwitchWithoutIpv6IsLeftForAnother() {
        bench.dualVSwitch("vsw-2", 100);
        bench.cloud.refuseIpv6("vsw-1");

        List<Resource> made = bench.get(2);

        assertThat(made)
                .hasSize(2)
                .allMatch(it -> "vsw-2".equals(it.attributes().get(Resource.VSWITCH)));
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(2);
        assertThat(bench.events.of("VSwitchUnusable"))
                .singleElement()
                .satisfies(event -> assertThat(event).contains("vsw-1", "turn on IPv6"));
    }

    @Test
    void withoutAnyVSwitchWithIpv6NothingIsMadeAndTheReasonNamesThem() {
        bench.cloud.refuseIpv6("vsw-1");

        List<CompletableFuture<CreateResult>> asked = bench.ask(3);
        bench.time.advance(Duration.ofMinutes(30));

        assertThat(FactoryFixture.failures(asked)).hasSize(3).allSatisfy(failed -> {
            assertThat(failed.kind()).isEqualTo(ErrorKind.MISCONFIGURED);
            assertThat(failed.message()).contains("vsw-1");
        });
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(1);
        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void ipv6TurnedOffLaterMovesTheNextPodsElsewhereAndLeavesNoHalf() {
        bench.dualVSwitch("vsw-2", 100);
        List<Resource> first = bench.get(1);
        bench.cloud.refuseIpv6("vsw-1");

        List<Resource> made = bench.get(2);

        assertThat(made)
                .hasSize(2)
                .allMatch(it -> "vsw-2".equals(it.attributes().get(Resource.VSWITCH)));
        nothingIsHalf();
        bench.giveBack(first);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.cloud.all()).hasSize(1);
    }

    @Test
    void aRequestForOneFamilyIsRefused() {
        bench.restart();
        var wish = bench.request(Duration.ofMinutes(1));
        CreateResult result = bench.factory()
                .create(List.of(new io.enipam.sdk.CreateRequest(wish.token(), Set.of(Family.IPV4), wish.deadline())))
                .get(0)
                .toCompletableFuture()
                .join();

        assertThat(result)
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.MISCONFIGURED));
    }

    @Test
    void aWholeEniHasOneAddressOfEachFamily() {
        FactoryFixture whole =
                FactoryFixture.dual(2, 4, 4).dualVSwitch("vsw-1", 100).whole();

        List<Resource> made = whole.get(2);

        assertThat(made).hasSize(2).allSatisfy(it -> {
            assertThat(it.kind()).isEqualTo(EniUse.WHOLE.kind());
            assertThat(it.addresses()).extracting(Address::family).containsExactly(Family.IPV4, Family.IPV6);
        });
        whole.known = made.stream().map(DualStackTest::pair).toList();
        assertThat(whole.restart()).containsExactlyInAnyOrderElementsOf(made);
        assertThat(whole.giveBack(made)).hasSize(2);
        whole.time.advance(Duration.ofMinutes(1));
        assertThat(whole.cloud.all()).isEmpty();
    }
}
