package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.eni.FactorySettings.LostEniPolicy;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An ENI that another actor takes off the instance while pods live on it. */
class LostEniPolicyTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static FactoryFixture bench() {
        return new FactoryFixture(2, 5).vswitch("vsw-1", 50);
    }

    /** Some addresses, the primary one of their ENI among them. */
    private static List<Resource> pods(FactoryFixture bench) {
        List<Resource> made = bench.get(3);
        bench.time.advance(Duration.ofMinutes(5));
        return made;
    }

    @Test
    void anEniThatWasDetachedUnderPodsIsAttachedAgainWithAllItsAddresses() {
        FactoryFixture bench = bench();
        List<Resource> pods = pods(bench);
        bench.cloud.pull("eni-1");

        assertThat(bench.list()).isEmpty();
        bench.time.advance(MINUTE);

        assertThat(bench.list()).containsExactlyInAnyOrderElementsOf(pods);
        assertThat(bench.states()).containsExactly("InUse");
        assertThat(bench.cloud.calls(Call.DELETE)).isZero();
        assertThat(bench.events.of("EniLost"))
                .singleElement()
                .asString()
                .contains("eni-1", "Available", "3 addresses")
                .contains("attaches it again");
        assertThat(bench.events.of("EniReattached")).singleElement().asString().contains("attached to i-1 again");
        assertThat(bench.events.types()).doesNotContain("EniDeleted");
    }

    @Test
    void whileItIsAwayItsAddressesGoToNoOtherPodAndOthersAreMadeElsewhere() {
        FactoryFixture bench = bench();
        List<Resource> pods = pods(bench);
        bench.cloud.pull("eni-1");
        bench.cloud.failNext(Call.ATTACH, "InvalidOperation.InvalidEniType", 403);
        bench.list();

        List<Resource> others = bench.get(4);

        assertThat(others).hasSize(4).allMatch(other -> other.parent().equals("eni-2"));
        assertThat(FactoryFixture.ips(others)).doesNotContainAnyElementsOf(FactoryFixture.ips(pods));
        assertThat(bench.cloud.all()).hasSize(2);
    }

    @Test
    void whatCannotBeAttachedAgainIsToldOnceAndKeptUntilItsPodsAreGone() {
        FactoryFixture bench = bench();
        List<Resource> pods = pods(bench);
        for (int i = 0; i < 50; i++) {
            bench.cloud.failNext(Call.ATTACH, "InvalidOperation.InvalidEniType", 403);
        }
        bench.cloud.pull("eni-1");
        bench.list();
        bench.time.advance(Duration.ofHours(1));
        for (int i = 0; i < 3; i++) {
            bench.list();
            bench.time.advance(Duration.ofMinutes(10));
        }

        assertThat(bench.cloud.calls(Call.ATTACH)).isEqualTo(1 + PollSchedule.REATTACHES);
        assertThat(bench.states()).containsExactly("Lost");
        assertThat(bench.cloud.calls(Call.DELETE)).isZero();
        assertThat(bench.events.of("EniFailed"))
                .singleElement()
                .asString()
                .contains("6 tries", "InvalidEniType", "delete those pods");

        bench.giveBack(pods.subList(0, 2));
        bench.time.advance(MINUTE);
        assertThat(bench.cloud.all()).hasSize(1);
        assertThat(bench.giveBack(pods.subList(2, 3)).get(0).join()).isInstanceOf(Disposed.class);
        bench.time.advance(MINUTE);

        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.states()).isEmpty();
        assertThat(bench.events.of("EniDeleted")).hasSize(1);
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void anEniThatIsNotAttachedAgainLeavesItsSlotToAnotherAndTakesItBackWhenItReturns() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50).losing(LostEniPolicy.RELEASE);
        List<Resource> pods = pods(bench);
        bench.cloud.pull("eni-1");
        bench.list();

        assertThat(bench.get(2)).hasSize(2).allMatch(other -> other.parent().equals("eni-2"));
        bench.cloud.plug("eni-1", FactoryFixture.INSTANCE);

        assertThat(bench.list()).containsAll(pods);
        assertThat(bench.states()).containsExactly("InUse", "InUse");
    }

    @Test
    void whoSetsReleaseHasItKeptUntilItsPodsAreGoneAndThenDeleted() {
        FactoryFixture bench = bench().losing(LostEniPolicy.RELEASE);
        List<Resource> pods = pods(bench);
        int attaches = bench.cloud.calls(Call.ATTACH);
        bench.cloud.pull("eni-1");
        bench.list();
        bench.time.advance(Duration.ofHours(1));

        assertThat(bench.cloud.calls(Call.ATTACH)).isEqualTo(attaches);
        assertThat(bench.states()).containsExactly("Lost");
        assertThat(bench.events.of("EniLost")).singleElement().asString().contains("cloud.lost_eni: release");

        bench.giveBack(pods);
        bench.time.advance(MINUTE);

        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void anActorThatTakesAnEniOffAgainAndAgainIsNotFoughtForEver() {
        FactoryFixture bench = bench();
        pods(bench);
        int attaches = bench.cloud.calls(Call.ATTACH);
        for (int i = 0; i < 20; i++) {
            if (bench.states().contains("InUse")) {
                bench.cloud.pull("eni-1");
            }
            bench.list();
            bench.time.advance(MINUTE);
        }

        assertThat(bench.cloud.calls(Call.ATTACH) - attaches).isEqualTo(PollSchedule.REATTACHES);
        assertThat(bench.states()).containsExactly("Lost");
        assertThat(bench.cloud.calls(Call.DELETE)).isZero();
        assertThat(bench.events.of("EniFailed")).singleElement().asString().contains("takes it off each time");
    }

    @Test
    void anEniThatAnotherInstanceHasNowIsWaitedForAndNotPulledAway() {
        FactoryFixture bench = bench();
        List<Resource> pods = pods(bench);
        int detaches = bench.cloud.calls(Call.DETACH);
        bench.cloud.plug("eni-1", "i-2");
        bench.list();
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(bench.states()).containsExactly("Lost");
        bench.cloud.pull("eni-1");
        bench.time.advance(MINUTE);

        assertThat(bench.list()).containsExactlyInAnyOrderElementsOf(pods);
        assertThat(bench.cloud.calls(Call.DETACH)).isEqualTo(detaches);
    }

    @Test
    void anEniThatIsDeletedWhileItIsWaitedForIsGivenUp() {
        FactoryFixture bench = bench();
        List<Resource> pods = pods(bench);
        bench.cloud.pull("eni-1");
        bench.cloud.failNext(Call.ATTACH, "InvalidOperation.InvalidEniType", 403);
        bench.list();
        bench.cloud.vanish("eni-1");
        bench.time.advance(MINUTE);

        assertThat(bench.states()).isEmpty();
        assertThat(bench.events.of("EniLost").get(1).toString()).contains("does not exist any more");
        assertThat(bench.giveBack(pods)).allMatch(done -> done.join() instanceof Disposed);
    }

    @Test
    void aRestartWhileItIsAwayAttachesItAgainAndNeverDeletesIt() {
        FactoryFixture bench = bench();
        List<Resource> pods = pods(bench);
        bench.known = pods.stream()
                .map(pod -> new KnownAddressPairs.Pair(pod.addresses().get(0).host(), Optional.empty()))
                .toList();
        bench.cloud.pull("eni-1");

        assertThat(bench.restart()).isEmpty();
        bench.time.advance(MINUTE);

        assertThat(bench.list()).containsExactlyInAnyOrderElementsOf(pods);
        assertThat(bench.cloud.calls(Call.DELETE)).isZero();
    }

    @Test
    void aRestartWithAnAttachUnderWayDoesNotDeleteItEither() {
        FactoryFixture bench = bench();
        List<Resource> pods = pods(bench);
        bench.known = pods.stream()
                .map(pod -> new KnownAddressPairs.Pair(pod.addresses().get(0).host(), Optional.empty()))
                .toList();
        bench.cloud.loseAnswerOf(Call.ATTACH);
        bench.cloud.pull("eni-1");
        bench.list();
        bench.cloud.stick("eni-1", CloudEniStatus.AVAILABLE);
        bench.restart();
        bench.cloud.release("eni-1");
        bench.time.advance(MINUTE);

        assertThat(bench.list()).containsExactlyInAnyOrderElementsOf(pods);
        assertThat(bench.cloud.calls(Call.DELETE)).isZero();
    }

    @Test
    void anEniWithoutPodsThatARestartFindsDetachedGoes() {
        FactoryFixture bench = bench();
        bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", FactoryFixture.OWN);
        bench.list();
        bench.time.advance(MINUTE);

        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.events.types()).doesNotContain("EniLost");
    }

    @Test
    void theCapacityIsLessWhileItsSlotIsKeptForIt() {
        FactoryFixture bench = bench();
        pods(bench);
        bench.cloud.pull("eni-1");
        bench.list();
        assertThat(bench.factory().capabilities().capacity()).isEqualTo(5);
        bench.time.advance(MINUTE);
        assertThat(bench.factory().capabilities().capacity()).isEqualTo(10);
    }

    @Test
    void aWholeEniOfAPodIsAttachedAgainAsWell() {
        FactoryFixture bench = bench().whole();
        List<Resource> pods = bench.get(1);
        bench.time.advance(Duration.ofMinutes(5));
        bench.cloud.pull("eni-1");
        bench.list();
        bench.time.advance(MINUTE);

        assertThat(bench.list()).containsExactlyElementsOf(pods);
    }

    @Test
    void aPodsTwoAddressesComeBackTogether() {
        FactoryFixture bench = FactoryFixture.dual(2, 5, 5).dualVSwitch("vsw-1", 50);
        List<Resource> pods = pods(bench);
        bench.cloud.pull("eni-1");
        bench.list();
        bench.time.advance(MINUTE);

        assertThat(bench.list()).containsExactlyInAnyOrderElementsOf(pods);
    }

    @Test
    void oneWrongAnswerAboutAnEniMakesNoLoss() {
        FactoryFixture bench = bench();
        List<Resource> pods = pods(bench);
        bench.cloud.pull("eni-1");
        var list = bench.factory().list().toCompletableFuture();
        bench.time.settle();
        bench.cloud.plug("eni-1", FactoryFixture.INSTANCE);
        bench.time.advance(PollSchedule.SETTLED);

        assertThat(list.join()).containsExactlyInAnyOrderElementsOf(pods);
        assertThat(bench.events.types()).doesNotContain("EniLost");
    }

    @Test
    void twoWrongAnswersThatLieApartMakeNoLossThoughTheEniWasBusyBetweenThem() {
        FactoryFixture bench = bench();
        pods(bench);
        bench.latency = Duration.ofSeconds(1);
        bench.cloud.pull("eni-1");
        var first = bench.factory().list().toCompletableFuture();
        bench.time.advance(Duration.ofSeconds(2));
        bench.cloud.plug("eni-1", FactoryFixture.INSTANCE);
        bench.time.advance(PollSchedule.SETTLED);
        bench.ask(1);
        bench.time.advance(MINUTE);
        assertThat(first).isCompleted();

        bench.cloud.pull("eni-1");
        bench.factory().list();
        bench.time.advance(Duration.ofSeconds(2));
        bench.cloud.plug("eni-1", FactoryFixture.INSTANCE);
        bench.time.advance(MINUTE);

        assertThat(bench.events.types()).doesNotContain("EniLost");
        assertThat(bench.states()).containsExactly("InUse");
    }

    /** Its detach had failed once, when no pod had an address of it. */
    @Test
    void anEniWhoseDetachDidNotReachTheCloudOnceIsAttachedAgainAsAnyOther() {
        FactoryFixture bench = bench();
        List<Resource> primary = bench.get(1);
        bench.cloud.failNext(Call.DETACH, "SDK.ServerUnreachable", 0);
        bench.cloud.failNext(Call.DESCRIBE, "SDK.ServerUnreachable", 0);
        bench.giveBack(primary);
        bench.time.advance(Duration.ofSeconds(5));
        List<Resource> pods = bench.get(2);
        assertThat(pods).allMatch(pod -> pod.parent().equals("eni-1"));
        bench.time.advance(Duration.ofMinutes(5));
        bench.cloud.pull("eni-1");
        bench.list();
        bench.time.advance(MINUTE);

        assertThat(bench.list()).containsAll(pods);
        assertThat(bench.cloud.calls(Call.DELETE)).isZero();
    }

    @Test
    void anAddressThatAnotherEniSeemsToHaveForAMomentHasNotMoved() {
        FactoryFixture bench = bench();
        pods(bench);
        String theirs = bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, "i-2", Map.of());
        bench.cloud.give(theirs, "10.0.1.2");
        var list = bench.factory().list().toCompletableFuture();
        bench.time.settle();
        bench.cloud.give("eni-1", "10.0.1.2");
        bench.time.advance(PollSchedule.SETTLED);

        assertThat(list.join()).hasSize(3);
        assertThat(bench.events.types()).doesNotContain("AddressMoved", "EniAddressGone");
    }
}
