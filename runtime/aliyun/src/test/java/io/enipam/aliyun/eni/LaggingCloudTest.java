package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A cloud whose descriptions of ENIs are half a minute old. */
class LaggingCloudTest {
    private static final Duration LAG = Duration.ofSeconds(30);

    private static FactoryFixture bench() {
        FactoryFixture bench = new FactoryFixture(3, 5).vswitch("vsw-1", 50);
        bench.lag = LAG;
        return bench;
    }

    private static List<Resource> made(FactoryFixture bench, int count) {
        List<CompletableFuture<CreateResult>> asked = bench.ask(count);
        bench.time.advance(Duration.ofMinutes(3));
        return FactoryFixture.resources(asked);
    }

    private static List<Resource> listed(FactoryFixture bench) {
        CompletableFuture<List<Resource>> list = bench.factory().list().toCompletableFuture();
        bench.time.advance(Duration.ofSeconds(55));
        assertThat(list).as("within the engine's patience").isCompleted();
        return list.join();
    }

    @Test
    void freshEnisAreWaitedForAndNotAbandoned() {
        FactoryFixture bench = bench();

        assertThat(made(bench, 12)).hasSize(12);

        assertThat(bench.states()).containsExactly("InUse", "InUse", "InUse");
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(3);
        assertThat(bench.events.types()).doesNotContain("EniFailed", "EniDeleted", "EniLost", "EniStuck");
    }

    @Test
    void whatWasAssignedAMomentAgoIsNotLostThoughTheCloudDoesNotShowItYet() {
        FactoryFixture bench = bench();
        made(bench, 2);
        List<CompletableFuture<CreateResult>> more = bench.ask(2);
        bench.time.advance(Duration.ofSeconds(8));
        assertThat(FactoryFixture.resources(more)).hasSize(2);

        assertThat(listed(bench)).hasSize(4);

        assertThat(bench.events.types()).doesNotContain("EniAddressGone", "AddressMoved", "EniLost");
    }

    @Test
    void aListComesWithinTheEnginesPatienceThoughAddressesComeAndGoAllTheTime() {
        FactoryFixture bench = bench();
        List<Resource> made = made(bench, 2);
        bench.ask(1);
        bench.time.advance(Duration.ofSeconds(5));
        CompletableFuture<List<Resource>> list = bench.factory().list().toCompletableFuture();
        for (int i = 0; i < 11; i++) {
            List<CompletableFuture<CreateResult>> asked = bench.ask(1);
            bench.time.advance(Duration.ofSeconds(5));
            bench.giveBack(FactoryFixture.resources(asked));
        }

        assertThat(list).as("within the engine's patience").isCompleted();
        assertThat(list.join()).containsAll(made);
    }

    @Test
    void whatWasTakenOffAMomentAgoIsNotTakenUpAgain() {
        FactoryFixture bench = bench();
        List<Resource> made = made(bench, 4);
        Resource going = made.stream().filter(it -> !it.primary()).findFirst().orElseThrow();
        bench.giveBack(List.of(going));
        bench.time.advance(Duration.ofSeconds(8));

        assertThat(listed(bench)).hasSize(3).doesNotContain(going);
    }

    @Test
    void aRestartThatIsNotShownAPodsAddressYetLendsItToNoOtherPodAndTakesItOffNoEni() {
        FactoryFixture bench = bench();
        List<Resource> before = made(bench, 2);
        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(8));
        Resource young = FactoryFixture.resources(asked).get(0);
        bench.known = Stream.concat(before.stream(), Stream.of(young))
                .map(pod -> new KnownAddressPairs.Pair(pod.addresses().get(0).host(), Optional.empty()))
                .toList();
        bench.restart();
        List<Resource> others = made(bench, 1);

        assertThat(others).hasSize(1).doesNotContain(young);
        assertThat(bench.cloud.addresses()).contains(young.addresses().get(0).host());
        assertThat(listed(bench)).contains(young).containsAll(before);
    }

    @Test
    void aPodsAddressThatTheCloudShowsOnlyAfterTheRestartIsLentToNoOtherPod() {
        FactoryFixture bench = bench();
        List<Resource> before = made(bench, 2);
        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(8));
        Resource young = FactoryFixture.resources(asked).get(0);
        bench.known = Stream.concat(before.stream(), Stream.of(young))
                .map(pod -> new KnownAddressPairs.Pair(pod.addresses().get(0).host(), Optional.empty()))
                .toList();
        bench.restart();
        bench.time.advance(Duration.ofSeconds(30));
        bench.ask(1);
        bench.time.advance(Duration.ofSeconds(2));
        bench.factory().list();
        bench.time.settle();

        List<CompletableFuture<CreateResult>> others = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(8));

        assertThat(FactoryFixture.resources(others)).hasSize(1).doesNotContain(young);
    }

    @Test
    void anEniThatIsGivenBackIsToldDeletedOnlyOnceTheCloudHasDeletedIt() {
        FactoryFixture bench = bench();
        List<Resource> made = made(bench, 1);
        bench.giveBack(made);
        while (bench.events.of("EniDeleted").isEmpty()) {
            bench.time.advance(Duration.ofSeconds(1));
        }

        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void anEniThatCouldNotBeAttachedIsToldDeletedOnlyOnceTheCloudHasDeletedIt() {
        FactoryFixture bench = bench();
        bench.cloud.failNext(Call.ATTACH, "InvalidOperation.InvalidEniType", 403);
        bench.ask(1, Duration.ofSeconds(1));
        while (bench.events.of("EniDeleted").isEmpty()) {
            bench.time.advance(Duration.ofMillis(200));
        }

        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void anEniThatWasDetachedUnderPodsComesBackHereAsWell() {
        FactoryFixture bench = bench();
        List<Resource> pods = made(bench, 3);
        bench.cloud.pull("eni-1");
        assertThat(listed(bench)).as("as the cloud was half a minute ago").hasSize(3);

        assertThat(listed(bench)).isEmpty();
        bench.time.advance(Duration.ofMinutes(3));

        assertThat(listed(bench)).containsExactlyInAnyOrderElementsOf(pods);
        assertThat(bench.events.of("EniLost")).hasSize(1);
        assertThat(bench.events.types()).doesNotContain("EniFailed", "EniDeleted");
    }
}
