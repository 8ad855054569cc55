package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Somebody else has a hand in this node's ENIs, or the cloud's lists do not tell the truth. */
class ForeignActorTest {
    private static final Duration SETTLED = Duration.ofSeconds(10);

    @Test
    void aListThatLagsBehindTheCloudTakesNothing() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        bench.get(2);
        bench.cloud.freezeLists();
        List<Resource> later = bench.get(5);

        assertThat(bench.list()).hasSize(7).containsAll(later);
        assertThat(bench.events.types()).doesNotContain("EniLost", "EniAddressGone", "AddressMoved");
    }

    @Test
    void anAddressThatWentJustBeforeALongReadingBeganIsNotTakenUpAgain() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        Resource going = bench.get(3).stream()
                .filter(resource -> !resource.primary())
                .findFirst()
                .orElseThrow();
        bench.cloud.freezeLists();
        bench.giveBack(List.of(going));
        bench.latency = Duration.ofSeconds(20);

        assertThat(ips(bench.list())).hasSize(2).doesNotContainAnyElementsOf(ips(List.of(going)));
    }

    @Test
    void anAddressThatCameAMomentAgoAndIsGoneIsMissedByTheFirstReadingAlready() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.get(3);
        bench.cloud.steal("eni-1", "10.0.1.2");

        assertThat(ips(bench.list())).hasSize(2).doesNotContain("10.0.1.2");
        assertThat(bench.events.types()).contains("EniAddressGone");
    }

    /** An ENI that has rested with three addresses, one of which somebody has just taken off. */
    private static FactoryFixture robbed(int addressesOfAnEni) {
        FactoryFixture bench = new FactoryFixture(1, addressesOfAnEni).vswitch("vsw-1", 100);
        bench.get(3);
        bench.time.advance(SETTLED);
        bench.cloud.steal("eni-1", "10.0.1.2");
        return bench;
    }

    @Test
    void anEniThatChangedWhileItWasReadIsReadAgain() {
        FactoryFixture bench = robbed(5);
        CompletableFuture<List<Resource>> list = bench.factory().list().toCompletableFuture();
        bench.ask(1);
        bench.time.settle();
        bench.time.advance(SETTLED);

        assertThat(ips(list.join())).hasSize(3).doesNotContain("10.0.1.2");
    }

    @Test
    void anEniThatNeverRestsIsReadThreeTimesAndTheListEnds() {
        FactoryFixture bench = robbed(60);
        bench.latency = Duration.ofSeconds(1);
        int before = bench.cloud.calls(Call.LIST_ATTACHED);
        CompletableFuture<List<Resource>> list = bench.factory().list().toCompletableFuture();
        for (int i = 0; i < 50 && !list.isDone(); i++) {
            bench.ask(1);
            bench.time.advance(Duration.ofMillis(500));
        }

        assertThat(list).isCompleted();
        assertThat(bench.cloud.calls(Call.LIST_ATTACHED) - before).isEqualTo(3);
    }

    @Test
    void aSlowCloudIsReadOnce() {
        FactoryFixture bench = robbed(60);
        bench.latency = Duration.ofSeconds(15);
        int before = bench.cloud.calls(Call.LIST_ATTACHED);
        CompletableFuture<List<Resource>> list = bench.factory().list().toCompletableFuture();
        bench.ask(1);
        bench.time.advance(Duration.ofSeconds(31));

        assertThat(list).isCompleted();
        assertThat(bench.cloud.calls(Call.LIST_ATTACHED) - before).isEqualTo(1);
    }

    @Test
    void aListThatIsEmptyForOnceTakesNothing() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(7);
        bench.cloud.emptyLists();

        assertThat(bench.list()).containsExactlyInAnyOrderElementsOf(made);
        assertThat(bench.states()).containsExactly("InUse", "InUse");
        assertThat(bench.events.types()).doesNotContain("EniLost", "EniAddressGone");
    }

    @Test
    void whereTheSecondLookFailsNothingIsTaken() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.get(3);
        bench.cloud.steal("eni-1", "10.0.1.2");
        bench.cloud.failNext(Call.DESCRIBE, "ServiceUnavailable", 503);

        CompletableFuture<List<Resource>> failed = bench.factory().list().toCompletableFuture();
        bench.time.settle();

        assertThat(failed).isCompletedExceptionally();
        assertThat(bench.events.types()).doesNotContain("EniAddressGone");
        assertThat(ips(bench.list())).hasSize(2).doesNotContain("10.0.1.2");
        assertThat(bench.events.types()).contains("EniAddressGone");
    }

    @Test
    void whereOneOfTheListsFailsNothingIsTaken() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.get(3);
        bench.cloud.vanish("eni-1");
        bench.cloud.failNext(Call.LIST_ATTACHED, "Throttling.User", 400);

        CompletableFuture<List<Resource>> failed = bench.factory().list().toCompletableFuture();
        bench.time.settle();

        assertThat(failed).isCompletedExceptionally();
        assertThat(bench.states()).containsExactly("InUse");
    }

    @Test
    void anAddressThatAnotherNodeHasNowIsToldAsADangerAndNeverLent() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.get(3);
        String theirs = bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, "i-2", Map.of());
        bench.cloud.give(theirs, "10.0.1.2");

        assertThat(ips(bench.list())).hasSize(2).doesNotContain("10.0.1.2");

        assertThat(bench.events.of("AddressMoved"))
                .singleElement()
                .asString()
                .contains("ERROR", "10.0.1.2", "eni-1", theirs, "i-2", "two pods");
        assertThat(ips(bench.get(3))).doesNotContain("10.0.1.2");
    }

    @Test
    void anAddressThatAnotherEniOfThisNodeHasNowIsToldAsADanger() {
        FactoryFixture bench = new FactoryFixture(2, 3).vswitch("vsw-1", 50);
        Resource here = bench.get(5).stream()
                .filter(resource -> !resource.primary())
                .findFirst()
                .orElseThrow();
        String there = here.parent().equals("eni-1") ? "eni-2" : "eni-1";
        bench.cloud.give(there, ips(List.of(here)).get(0));

        List<Resource> listed = bench.list();

        assertThat(bench.events.of("AddressMoved")).singleElement().asString().contains("ERROR", there);
        assertThat(listed.stream().map(r -> r.id().value()))
                .contains(there + "/" + ips(List.of(here)).get(0))
                .doesNotContain(here.id().value());
    }

    @Test
    void anEniWhoseTagsSomebodyTookOffIsStillOurs() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(3);
        bench.cloud.untag("eni-1");

        assertThat(bench.list()).containsExactlyInAnyOrderElementsOf(made);
        assertThat(bench.events.types()).doesNotContain("EniLost", "ForeignEnis");
    }

    @Test
    void anEniThatIsDetachedAndHasNoPodsKeepsItsSlotUntilItIsAbsent() {
        FactoryFixture bench =
                new FactoryFixture(1, 5).vswitch("vsw-1", 50).with(settings -> FactoryFixture.withMinEnis(settings, 1));
        bench.list();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.states()).containsExactly("InUse");
        bench.cloud.pull("eni-1");
        assertThat(bench.list()).isEmpty();
        assertThat(bench.states()).containsExactly("Deleting");
        List<CompletableFuture<CreateResult>> waiting = bench.ask(2);
        bench.time.settle();
        int creates = bench.cloud.calls(Call.CREATE);

        assertThat(bench.cloud.all()).hasSize(1);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(FactoryFixture.resources(waiting)).hasSize(2);
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(creates + 1);
        assertThat(bench.cloud.all()).hasSize(1);
    }

    @Test
    void anEniThatVanishedLeavesItsSlotToWhoeverWaits() {
        FactoryFixture bench = new FactoryFixture(1, 2).vswitch("vsw-1", 50);
        bench.get(2);
        bench.cloud.vanish("eni-1");
        List<Resource> made = bench.get(1);
        assertThat(made).as("the book is full").isEmpty();

        assertThat(bench.list()).isEmpty();

        assertThat(bench.get(2)).hasSize(2).allMatch(r -> r.parent().equals("eni-2"));
    }

    @Test
    void anAddressSomebodyPutOnOurEniIsListed() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.get(2);
        bench.cloud.give("eni-1", "10.0.1.40");

        assertThat(ips(bench.list())).contains("10.0.1.40");
        assertThat(ips(bench.get(3))).hasSize(2).doesNotContain("10.0.1.40");
    }

    @Test
    void anEniWithOurTagsThatSomebodyAttachedIsTakenOver() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        bench.get(1);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, FactoryFixture.OWN);

        assertThat(bench.list()).hasSize(2);
        assertThat(bench.events.of("EniAdopted")).hasSize(1);
        assertThat(bench.states()).containsExactly("InUse", "InUse");
    }

    @Test
    void enisOfOthersTakeSlotsAndAreNotRunInto() {
        FactoryFixture bench = new FactoryFixture(3, 5).vswitch("vsw-1", 50);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, Map.of());
        bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, Map.of("creator", "somebody"));

        assertThat(bench.list()).isEmpty();
        assertThat(bench.factory().capabilities().capacity()).isEqualTo(5);
        List<CompletableFuture<CreateResult>> asked = bench.ask(6);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(FactoryFixture.resources(asked)).hasSize(5);
        assertThat(FactoryFixture.failures(asked))
                .extracting(Failed::message)
                .singleElement()
                .asString()
                .contains("2 more");
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(1);
        assertThat(bench.events.types()).contains("ForeignEnis").doesNotContain("EniFailed");
        assertThat(bench.cloud.all()).hasSize(3);
    }

    @Test
    void whoeverAttachesAnEniLaterCostsOneRefusalAndNotOneAMinute() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.list();
        String theirs = bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, Map.of());

        for (int i = 0; i < 20; i++) {
            assertThat(bench.get(1)).isEmpty();
        }
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(1);
        assertThat(bench.cloud.all()).as("what was made for nothing is gone").hasSize(1);

        bench.cloud.vanish(theirs);
        bench.list();
        assertThat(bench.get(1)).hasSize(1);
    }

    @Test
    void anAddressGivenBackAMomentAgoIsNotTakenForANewOne() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(3);
        bench.cloud.freezeLists();
        bench.giveBack(List.of(made.get(2)));
        bench.time.settle();

        assertThat(bench.list()).hasSize(2).doesNotContain(made.get(2));
        bench.cloud.thawLists();
        bench.time.advance(SETTLED);
        assertThat(bench.list()).hasSize(2).doesNotContain(made.get(2));
    }
}
