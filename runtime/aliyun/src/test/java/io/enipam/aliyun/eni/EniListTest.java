package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reading the cloud: at start, after a crash, and in between. */
class EniListTest {
    @Test
    void aRestartFindsEveryAddressAndGoesOnFromThere() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        List<Resource> before = bench.get(7);

        List<Resource> after = bench.restart();

        assertThat(after).containsExactlyInAnyOrderElementsOf(before);
        assertThat(after.stream().filter(Resource::primary)).hasSize(2);
        assertThat(ips(bench.get(3))).hasSize(3).doesNotContainAnyElementsOf(ips(before));
    }

    @Test
    void enisOfOthersAreNotTouched() {
        FactoryFixture bench = new FactoryFixture(3, 5).vswitch("vsw-1", 50);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, Map.of());
        bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", Map.of("creator", "enipam", "node", "i-2"));

        assertThat(bench.restart()).isEmpty();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.cloud.all()).hasSize(2);
        assertThat(bench.states()).isEmpty();
    }

    @Test
    void whatACrashLeftUnattachedIsDeleted() {
        FactoryFixture bench = new FactoryFixture(3, 5).vswitch("vsw-1", 50);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", FactoryFixture.OWN);

        assertThat(bench.restart()).isEmpty();
        bench.time.advance(Duration.ofSeconds(30));

        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void whatACrashLeftAttachingIsAwaitedAndServes() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.ATTACHING, FactoryFixture.INSTANCE, FactoryFixture.OWN);

        assertThat(bench.restart()).isEmpty();
        List<Resource> made = bench.get(1);

        assertThat(ips(made)).containsExactly("10.0.1.1");
        assertThat(bench.cloud.calls(Call.CREATE)).isZero();
    }

    @Test
    void whatACrashLeftDetachingOrDeletingIsFollowedAndKeepsItsSlot() {
        FactoryFixture bench = new FactoryFixture(2, 1).vswitch("vsw-1", 50);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.DETACHING, FactoryFixture.INSTANCE, FactoryFixture.OWN);
        bench.cloud.leftOver("vsw-1", CloudEniStatus.DELETING, "", FactoryFixture.OWN);

        assertThat(bench.restart()).isEmpty();
        assertThat(bench.states()).containsExactlyInAnyOrder("Detaching", "Deleting");
        List<CompletableFuture<CreateResult>> asked = bench.ask(2);
        bench.time.settle();
        assertThat(bench.cloud.calls(Call.CREATE)).isZero();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(FactoryFixture.resources(asked)).hasSize(2);
        assertThat(bench.cloud.all()).hasSize(2);
    }

    @Test
    void creatingBeforeTheFirstListReadsTheCloudFirst() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.get(2);
        bench.restart();
        var early = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        early.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, FactoryFixture.OWN);

        assertThat(ips(early.get(1))).doesNotContain("10.0.1.1");
        assertThat(early.cloud.calls(Call.CREATE)).isZero();
    }

    @Test
    void anAddressSomebodyTookOffLeavesTheListAndIsTold() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(3);
        bench.cloud.steal("eni-1", "10.0.1.2");

        assertThat(ips(bench.list())).hasSize(2).doesNotContain("10.0.1.2");
        assertThat(bench.events.types()).contains("EniAddressGone");
        assertThat(made).hasSize(3);
    }

    @Test
    void aListDoesNotShowWhatIsHalfMadeOrHalfUnmade() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(2);
        bench.latency = Duration.ofMillis(100);
        var going = bench.giveBack(made.stream().filter(r -> !r.primary()).toList());
        CompletableFuture<List<Resource>> listed = bench.factory().list().toCompletableFuture();

        bench.time.advance(Duration.ofSeconds(1));

        assertThat(ips(listed.getNow(List.of()))).containsExactly("10.0.1.1");
        assertThat(going.get(0).getNow(null)).isInstanceOf(Disposed.class);
    }

    @Test
    void aListMadeWhileAddressesArriveNeverLosesOrDoublesThem() {
        FactoryFixture bench = new FactoryFixture(1, 30).vswitch("vsw-1", 50);
        List<Resource> first = bench.get(1);
        bench.latency = Duration.ofMillis(100);
        CompletableFuture<List<Resource>> listed = bench.factory().list().toCompletableFuture();
        List<CompletableFuture<CreateResult>> asked = bench.ask(5);
        CompletableFuture<List<Resource>> between = bench.factory().list().toCompletableFuture();
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(listed.getNow(List.of())).containsAll(first);
        assertThat(between.getNow(List.of())).containsAll(first);
        assertThat(FactoryFixture.resources(asked)).hasSize(5);
        assertThat(bench.list()).hasSize(6);
        assertThat(bench.events.types()).doesNotContain("EniAddressGone", "EniLost");
    }

    @Test
    void aCloudThatCannotBeReadFailsTheListAndWhatWaitsForIt() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.cloud.failNext(Call.LIST, "Forbidden.RAM", 403);
        CompletableFuture<List<Resource>> listed = new CloudFactory(
                        FactoryFixture.settings(FactoryFixture.OWN, 1, 5),
                        bench.vswitches,
                        new CloudFactory.Context(
                                bench.cloud,
                                bench.journal,
                                bench.time,
                                bench.time,
                                bench.events,
                                bench.time::execute,
                                new EniSlots(1, 1),
                                KnownAddressPairs.NONE))
                .list()
                .toCompletableFuture();
        bench.time.settle();

        assertThat(listed).isCompletedExceptionally();
        assertThat(listed.handle((all, failure) -> failure).join())
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAUTHORIZED));
    }

    @Test
    void aSecondReadingThatFailsDoesNotTakeTheFirstOnesAnswerAway() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> settled = bench.get(2);
        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(1));
        String young = ips(FactoryFixture.resources(asked)).get(0);
        bench.cloud.steal("eni-1", young);
        CompletableFuture<List<Resource>> listed = bench.factory().list().toCompletableFuture();
        bench.time.settle();
        assertThat(listed).as("it may be late in the cloud's answer").isNotDone();

        bench.cloud.failNext(Call.LIST, "Forbidden.RAM", 403);
        bench.time.advance(PollSchedule.SETTLED.multipliedBy(2));

        assertThat(listed).isCompleted();
        assertThat(ips(listed.join())).containsAll(ips(settled)).contains(young);
    }
}
