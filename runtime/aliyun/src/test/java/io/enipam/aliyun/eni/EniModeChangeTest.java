package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.failures;
import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A restart with another mode: the ENIs of the former mode hold the slots until its factory has given them back. */
class EniModeChangeTest {
    private final FactoryFixture before = new FactoryFixture(2, 2).vswitch("vsw-1", 50);

    private static void assertOwn(FactoryFixture node) {
        assertThat(node.factory().capabilities().capacity()).isEqualTo(2);
        assertThat(node.events.types()).doesNotContain("ForeignEnis");
        assertThat(failures(node.ask(1))).singleElement().satisfies(failed -> {
            assertThat(failed.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
            assertThat(failed.message()).isEqualTo("all 2 ENIs are in use, 2 of them by another factory");
        });
    }

    @Test
    void enisOfTheFormerModeAreNotForeignBeforeTheirFactoryHasReadThem() {
        before.get(4);

        FactoryFixture whole = before.restarted().besides();
        whole.list();

        assertOwn(whole);
    }

    @Test
    void wholeEnisOfTheFormerModeDoNotReduceTheCapacityOfAddresses() {
        FactoryFixture whole = before.whole();
        whole.get(2);

        FactoryFixture restarted = whole.restarted().lendingAddresses();
        restarted.list();

        assertThat(restarted.factory().capabilities().capacity()).isEqualTo(4);
        assertThat(restarted.events.types()).doesNotContain("ForeignEnis");
    }

    @Test
    void anEniWithoutTagsBelongsToTheNodeIfAPodHasOneOfItsAddresses() {
        Resource lent = before.get(4).get(0);
        before.cloud.untag(lent.parent());

        FactoryFixture whole = before.restarted().besides();
        whole.known = List.of(new KnownAddressPairs.Pair(ips(List.of(lent)).get(0), Optional.empty()));
        whole.list();

        assertOwn(whole);
    }

    @Test
    void anEniWithoutTagsBelongsToTheNodeIfAnOperationOnItIsOpen() {
        String eni = before.get(4).get(0).parent();
        before.cloud.untag(eni);
        FactoryFixture restarted = before.restarted();
        EniUse.ADDRESSES
                .journalWithin(before.journal)
                .begin(CloudJournal.Entry.of(
                        new CloudOperation.Unassign(eni, List.of("10.0.1.9")), before.time.now(), 1));

        FactoryFixture whole = restarted.besides();
        whole.list();

        assertOwn(whole);
    }

    @Test
    void aForeignEniBesideThoseOfTheFormerModeTakesItsSlotForGood() {
        before.get(2);
        before.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, Map.of("creator", "terway"));

        FactoryFixture whole = before.restarted().besides();
        whole.list();

        assertThat(whole.factory().capabilities().capacity()).isEqualTo(1);
        assertThat(whole.events.of("ForeignEnis"))
                .singleElement()
                .asString()
                .contains("1 ENIs of this instance do not belong to this node");
    }

    @Test
    void aWishIsServedAsSoonAsTheFormerFactoryHasGivenAnEniBack() {
        before.get(4);
        FactoryFixture addresses = before.restarted();
        FactoryFixture whole = addresses.besides();
        whole.list();
        List<Resource> former = addresses.list();

        addresses.giveBack(former);
        addresses.time.advance(Duration.ofMillis(100));
        List<CompletableFuture<CreateResult>> asked = whole.ask(2);
        whole.time.advance(Duration.ofSeconds(30));

        assertThat(resources(asked)).hasSize(2);
        assertThat(whole.cloud.all()).hasSize(2);
    }

    @Test
    void aWishIsServedByTheSlotOfAnEniThatAClosedFactoryKeptForItsMinimum() {
        FactoryFixture addresses = before.with(settings -> FactoryFixture.withMinEnis(settings, 2));
        addresses.list();
        addresses.time.advance(Duration.ofSeconds(30));
        FactoryFixture whole = addresses.besides().with(settings -> FactoryFixture.withMinEnis(settings, 0));
        whole.list();
        assertThat(failures(whole.ask(1))).extracting(Failed::kind).containsExactly(ErrorKind.QUOTA_EXHAUSTED);

        addresses.factory().drain();
        List<CompletableFuture<CreateResult>> asked = whole.ask(1);
        whole.time.advance(Duration.ofSeconds(30));

        assertThat(resources(asked)).hasSize(1);
    }

    @Test
    void anEniOfTheFormerModeThatHasGoneIsNotCountedAnyMore() {
        before.get(4);
        FactoryFixture addresses = before.restarted();
        FactoryFixture whole = addresses.besides();
        whole.list();
        addresses.list();

        before.cloud.vanish("eni-1");
        addresses.list();
        List<CompletableFuture<CreateResult>> asked = whole.ask(1);
        whole.time.advance(Duration.ofSeconds(30));

        assertThat(resources(asked)).hasSize(1);
    }
}
