package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.failures;
import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** ENIs that are lent as a whole: terway's mode ENIOnly. */
class EniFactoryTest {
    private static final Map<String, String> WHOLE = EniTags.identity(EniUse.WHOLE, FactoryFixture.INSTANCE);

    private static FactoryFixture bench(int enis) {
        return new FactoryFixture(enis, 10).vswitch("vsw-1", 50).whole();
    }

    private static List<String> ids(List<Resource> resources) {
        return resources.stream().map(resource -> resource.id().value()).toList();
    }

    private static List<String> cloudIds(FactoryFixture bench) {
        return bench.cloud.all().stream().map(NetworkInterface::id).toList();
    }

    @Test
    void eachWishGetsAnEniOfItsOwnThatIsAttached() {
        FactoryFixture bench = bench(4);

        List<Resource> made = bench.get(3);

        assertThat(ids(made)).containsExactlyInAnyOrder("eni-1", "eni-2", "eni-3");
        assertThat(made.get(0).kind()).isEqualTo(new ResourceKind("eni"));
        assertThat(made.get(0).parent()).isEmpty();
        assertThat(made.get(0).attributes())
                .containsOnlyKeys(Resource.MAC, Resource.GATEWAY, Resource.VSWITCH)
                .containsEntry(Resource.GATEWAY, "10.0.1.253");
        assertThat(ips(made)).hasSize(3).doesNotHaveDuplicates();
        assertThat(bench.states()).containsOnly("InUse");
        assertThat(bench.cloud.calls(Call.ASSIGN)).isZero();
    }

    @Test
    void anEniIsDeliveredOnlyWhenItIsAttached() {
        FactoryFixture bench = bench(1);
        bench.factory();
        bench.cloud.stickAttachOf("eni-1", CloudEniStatus.ATTACHING);

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(20));
        assertThat(asked.get(0)).isNotDone();
        assertThat(bench.states()).containsExactly("Attaching");

        bench.cloud.release("eni-1");
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(resources(asked)).hasSize(1);
    }

    @Test
    void noMoreThanThreeAreOnTheirWayAtOneTime() {
        FactoryFixture bench = bench(8);

        List<Resource> made = bench.get(8);
        bench.giveBack(made);
        bench.time.advance(Duration.ofMinutes(2));

        assertThat(made).hasSize(8);
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.cloud.mostOperations()).isEqualTo(3);
    }

    @Test
    void aBatchBeyondTheSlotsIsServedInPartAndTheRestIsToldAtOnce() {
        FactoryFixture bench = bench(3);

        List<CompletableFuture<CreateResult>> asked = bench.ask(5);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(resources(asked)).hasSize(3);
        assertThat(failures(asked)).hasSize(2).allSatisfy(failed -> {
            assertThat(failed.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
            assertThat(failed.message()).isEqualTo("all 3 ENIs are in use");
        });
    }

    /** Terway forgot the ENI when its last address went, and the slot with it. */
    @Test
    void aSlotIsKeptUntilTheCloudHasTheEniNoMoreAndIsFreeThen() {
        FactoryFixture bench = bench(1);
        List<Resource> made = bench.get(1);
        bench.cloud.stick("eni-1", CloudEniStatus.DELETING);
        var results = bench.giveBack(made);

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(50));
        assertThat(results.get(0)).isNotDone();
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(1);

        bench.cloud.release("eni-1");
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(results.get(0).getNow(null)).isInstanceOf(Disposed.class);
        assertThat(ids(resources(asked))).containsExactly("eni-2");
    }

    @Test
    void givingBackIsDetachThenDeleteThenAbsent() {
        FactoryFixture bench = bench(1);
        List<Resource> made = bench.get(1);

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(bench.states()).containsExactly("Detaching");
        bench.time.advance(Duration.ofSeconds(3));
        assertThat(bench.states()).containsExactly("Deleting");
        assertThat(results.get(0)).isNotDone();
        bench.time.advance(Duration.ofSeconds(5));

        assertThat(results.get(0).getNow(null)).isInstanceOf(Disposed.class);
        assertThat(bench.cloud.calls(Call.UNASSIGN)).isZero();
    }

    @Test
    void aStuckDetachIsToldAskedAgainAndHoldsUpNobodyElse() {
        FactoryFixture bench = bench(2);
        List<Resource> made = bench.get(1);
        bench.cloud.stick("eni-1", CloudEniStatus.DETACHING);
        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(90));

        assertThat(bench.states()).containsExactly("Stuck");
        assertThat(bench.cloud.calls(Call.DETACH)).isGreaterThan(1);
        assertThat(bench.get(1)).hasSize(1);

        bench.cloud.release("eni-1");
        bench.time.advance(Duration.ofMinutes(3));
        assertThat(results.get(0).getNow(null)).isInstanceOf(Disposed.class);
    }

    @Test
    void anEniThatCannotBeAttachedIsDeletedAndItsWishIsTold() {
        FactoryFixture bench = bench(2);
        bench.cloud.failNext(Call.ATTACH, "InvalidOperation.VpcMismatch", 403);

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(asked)).extracting(Failed::kind).containsExactly(ErrorKind.MISCONFIGURED);
        assertThat(bench.cloud.all()).isEmpty();
    }

    /** Terway left the ENI behind that the instance had no room for. */
    @Test
    void anEniTooManyIsDeletedAndNoneIsTriedForAMinute() {
        FactoryFixture bench = new FactoryFixture(1, 10, 3).vswitch("vsw-1", 50).whole();
        bench.get(1);

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(10));
        assertThat(failures(asked)).extracting(Failed::kind).containsExactly(ErrorKind.QUOTA_EXHAUSTED);
        assertThat(cloudIds(bench)).containsExactly("eni-1");
        int creates = bench.cloud.calls(Call.CREATE);

        bench.ask(1);
        bench.time.advance(Duration.ofSeconds(10));
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(creates);
    }

    /** Terway kept the token of each throttled create: seven of them left four of seven slots unusable. */
    @Test
    void sevenCreatesAgainstAThrottlingCloudLeakNoSlot() {
        FactoryFixture bench = bench(7);
        bench.factory();
        for (int i = 0; i < 7; i++) {
            bench.cloud.failNext(Call.CREATE, "Throttling.User", 400);
        }

        List<CompletableFuture<CreateResult>> throttled = bench.ask(7);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(throttled)).hasSize(7).allMatch(failed -> failed.kind() == ErrorKind.THROTTLED);
        assertThat(bench.get(7)).hasSize(7);
        assertThat(bench.cloud.mostOperations()).isLessThanOrEqualTo(3);
    }

    @Test
    void aCreateWhoseAnswerWasLostLeaksNoEni() {
        FactoryFixture bench = bench(2);
        bench.factory();
        bench.cloud.loseAnswerOf(Call.CREATE);

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(asked.get(0)).isDone();
        assertThat(cloudIds(bench)).containsExactlyInAnyOrderElementsOf(ids(resources(asked)));
        assertThat(bench.get(2 - resources(asked).size())).isNotEmpty();
    }

    @Test
    void anAttachWhoseAnswerWasLostIsFollowedAndNotRepeated() {
        FactoryFixture bench = bench(1);
        bench.factory();
        bench.cloud.loseAnswerOf(Call.ATTACH);

        assertThat(bench.get(1)).hasSize(1);
        assertThat(bench.cloud.calls(Call.ATTACH)).isEqualTo(1);
    }

    @Test
    void aDetachWhoseAnswerWasLostIsFollowedAndNotRepeated() {
        FactoryFixture bench = bench(1);
        List<Resource> made = bench.get(1);
        bench.cloud.loseAnswerOf(Call.DETACH);

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(20));

        assertThat(results.get(0).getNow(null)).isInstanceOf(Disposed.class);
        assertThat(bench.cloud.calls(Call.DETACH)).isEqualTo(1);
    }

    @Test
    void aDetachNobodyHeardOfFailsAndTheEniStaysTheEngines() {
        FactoryFixture bench = bench(1);
        List<Resource> made = bench.get(1);
        bench.cloud.failNext(Call.DETACH, "SDK.ServerUnreachable", 0);
        bench.cloud.failNext(Call.DESCRIBE, "SDK.ServerUnreachable", 0);

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(5));

        assertThat(results.get(0).getNow(null))
                .isInstanceOfSatisfying(
                        Failed.class,
                        failed -> assertThat(failed.kind().transientFailure()).isTrue());
        assertThat(bench.list()).isEqualTo(made);
        bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(20));
        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void aDetachThatWasHeardAfterAllIsFinishedByTheNextList() {
        FactoryFixture bench = bench(1);
        List<Resource> made = bench.get(1);
        bench.cloud.loseAnswerOf(Call.DETACH);
        bench.cloud.failNext(Call.DESCRIBE, "SDK.ServerUnreachable", 0);
        bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(5));

        assertThat(bench.list()).isEmpty();
        bench.time.advance(Duration.ofSeconds(20));

        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.get(1)).hasSize(1);
    }

    /** Terway took ENIs into its pool that were on their way off. */
    @Test
    void atStartOnlyAttachedEnisAreListedAndTheOthersAreSeenToTheirEnd() {
        FactoryFixture bench = bench(5);
        String attached = bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, WHOLE);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.DETACHING, FactoryFixture.INSTANCE, WHOLE);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", WHOLE);
        String coming = bench.cloud.leftOver("vsw-1", CloudEniStatus.ATTACHING, FactoryFixture.INSTANCE, WHOLE);

        assertThat(ids(bench.list())).containsExactly(attached);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(ids(bench.list())).containsExactlyInAnyOrder(attached, coming);
        assertThat(cloudIds(bench)).containsExactlyInAnyOrder(attached, coming);
    }

    @Test
    void anEniOfAnotherNodeOrAnotherUseIsNoneOfItsBusiness() {
        FactoryFixture bench = bench(5);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", EniTags.identity(EniUse.WHOLE, "i-2"));
        bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", FactoryFixture.OWN);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", Map.of());

        assertThat(bench.list()).isEmpty();
        bench.time.advance(Duration.ofMinutes(5));

        assertThat(bench.cloud.all()).hasSize(3);
    }

    @Test
    void aRestartFindsTheSameEnis() {
        FactoryFixture bench = bench(3);
        List<Resource> made = bench.get(2);

        assertThat(bench.restart()).containsExactlyInAnyOrderElementsOf(made);
        bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void whatAPodPutsOnItsEniIsThePodsAffairAndGoesWithIt() {
        FactoryFixture bench = bench(1);
        List<Resource> made = bench.get(1);
        bench.cloud.assignPrivateIpAddresses("eni-1", 3, "a-pod's");

        assertThat(bench.list()).isEqualTo(made);
        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(30));

        assertThat(results.get(0).getNow(null)).isInstanceOf(Disposed.class);
        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void itsEnisCarryACreatorOfTheirOwnBesideTheOtherTags() {
        FactoryFixture bench = bench(1);
        bench.get(1);

        Map<String, String> tags = new HashMap<>(WHOLE);
        tags.put("cluster", "test");
        assertThat(bench.cloud.describeNetworkInterfaces(tags)).hasSize(1);
        assertThat(bench.cloud.describeNetworkInterfaces(FactoryFixture.OWN)).isEmpty();
    }

    @Test
    void twoFactoriesOnOneInstanceNeverTakeMoreSlotsThanThereAre() {
        FactoryFixture addresses = new FactoryFixture(4, 2).vswitch("vsw-1", 50);
        FactoryFixture whole = addresses.besides();
        addresses.factory();
        whole.factory();

        var someAddresses = addresses.ask(6);
        var someEnis = whole.ask(4);
        addresses.time.advance(Duration.ofMinutes(1));

        assertThat(addresses.cloud.all()).hasSize(4);
        assertThat(resources(someAddresses).size() / 2 + resources(someEnis).size())
                .isEqualTo(4);
        assertThat(failures(someEnis))
                .isNotEmpty()
                .allSatisfy(failed -> assertThat(failed.message())
                        .startsWith("all 4 ENIs are in use, ")
                        .endsWith("of them by another factory"));
        assertThat(addresses.events.types())
                .as("nothing was made that the cloud had no room for")
                .doesNotContain("EniFailed");
    }

    /** After a change of the mode no ADD was served for a minute where the first ENI came before the last one of the former mode had left. */
    @Test
    void anEniOfTheOtherFactoryThatLeavesEndsTheMinuteInWhichAFullInstanceIsNotAsked() {
        FactoryFixture addresses = new FactoryFixture(2, 2).vswitch("vsw-1", 50);
        FactoryFixture whole = addresses.besides();
        List<Resource> former = addresses.get(2);
        whole.factory();
        addresses.cloud.failNext(Call.ATTACH, "EniPerInstanceLimitExceeded", 403);
        var refused = whole.ask(1);
        addresses.time.advance(Duration.ofSeconds(10));
        assertThat(failures(refused))
                .singleElement()
                .satisfies(failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED));
        assertThat(failures(whole.ask(1)))
                .as("its own ENI, which had no room, leaves none behind")
                .singleElement()
                .satisfies(failed -> assertThat(failed.message()).contains("no new one is tried"));

        addresses.giveBack(former);
        addresses.factory().drain();
        addresses.time.advance(Duration.ofSeconds(15));

        assertThat(whole.get(1)).hasSize(1);
    }

    @Test
    void neitherFactoryListsOrTouchesTheOthersEnis() {
        FactoryFixture addresses = new FactoryFixture(4, 2).vswitch("vsw-1", 50);
        FactoryFixture whole = addresses.besides();
        List<Resource> someAddresses = addresses.get(2);
        List<Resource> someEnis = whole.get(2);

        assertThat(addresses.restart()).containsExactlyInAnyOrderElementsOf(someAddresses);
        assertThat(whole.restart()).containsExactlyInAnyOrderElementsOf(someEnis);
        addresses.time.advance(Duration.ofMinutes(5));

        assertThat(addresses.cloud.all()).hasSize(3);
        assertThat(addresses.events.types()).doesNotContain("EniLost", "EniDeleted");
    }

    @Test
    void eachFactoryFinishesWhatItsOwnUseHasLeftOpenAndNothingOfTheOther() {
        FactoryFixture addresses = new FactoryFixture(4, 2).vswitch("vsw-1", 50);
        FactoryFixture whole = addresses.besides();
        CloudOperation addressOperation = new CloudOperation.Delete("eni-of-addresses");
        CloudOperation wholeOperation = new CloudOperation.Delete("eni-as-a-whole");
        CloudJournal ofAddresses = EniUse.ADDRESSES.journalWithin(addresses.journal);
        CloudJournal ofWhole = EniUse.WHOLE.journalWithin(addresses.journal);
        ofAddresses.begin(CloudJournal.Entry.of(addressOperation, addresses.time.now(), 1));
        ofWhole.begin(CloudJournal.Entry.of(wholeOperation, addresses.time.now(), 1));

        whole.factory();
        whole.time.advance(Duration.ofSeconds(10));

        assertThat(ofWhole.open()).isEmpty();
        assertThat(ofAddresses.open())
                .as("what another factory may be doing just now")
                .extracting(CloudJournal.Entry::operation)
                .containsExactly(addressOperation);
        assertThat(whole.events.types()).containsOnlyOnce("OperationRecovered");

        addresses.factory();
        addresses.time.advance(Duration.ofSeconds(10));
        assertThat(addresses.journal.open()).isEmpty();
    }

    @Test
    void aFactoryThatLeavesSeesOffWhatNobodyHasAndKeepsWhatIsLent() {
        FactoryFixture bench = bench(4).with(settings -> FactoryFixture.withMinEnis(settings, 3));
        bench.factory();
        bench.time.advance(Duration.ofMinutes(1));
        List<Resource> lent = bench.get(1);
        assertThat(bench.cloud.all()).hasSize(3);

        bench.factory().drain();
        bench.time.advance(Duration.ofMinutes(2));

        assertThat(cloudIds(bench)).containsExactlyElementsOf(ids(lent));
        bench.factory().close();
    }

    @Test
    void aFactoryThatLeavesFailsItsWishesAndDeletesWhatWasBeingMadeForThem() {
        FactoryFixture bench = bench(2);
        bench.factory();
        bench.latency = Duration.ofMillis(100);
        List<CompletableFuture<CreateResult>> asked = bench.ask(2);

        bench.factory().drain();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(asked))
                .extracting(Failed::kind)
                .containsExactly(ErrorKind.UNAVAILABLE, ErrorKind.UNAVAILABLE);
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(2);
        assertThat(bench.cloud.all()).isEmpty();
    }
}
