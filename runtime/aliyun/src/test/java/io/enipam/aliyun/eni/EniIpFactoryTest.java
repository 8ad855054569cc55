package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.failures;
import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Creating addresses: batches, placement, partial answers, deadlines. */
class EniIpFactoryTest {
    @Test
    void theFirstWishMakesAnEniAndGetsItsPrimaryAddress() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);

        Resource resource = bench.get(1).get(0);

        assertThat(resource.id().value()).isEqualTo("eni-1/10.0.1.1");
        assertThat(resource.parent()).isEqualTo("eni-1");
        assertThat(resource.addresses().get(0)).hasToString("10.0.1.1/24");
        assertThat(resource.attributes())
                .containsEntry(Resource.GATEWAY, "10.0.1.253")
                .containsEntry(Resource.MAC, "00:16:3e:00:00:11")
                .containsEntry(Resource.VSWITCH, "vsw-1")
                .containsEntry(Resource.PRIMARY, "true");
        assertThat(bench.cloud.calls(Call.ASSIGN)).isZero();
        assertThat(bench.events.types()).containsSequence("EniCreated", "EniAttached");
    }

    @Test
    void theFirstAddressOfAFastCloudComesWithinASecondOfTheAttach() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<CompletableFuture<CreateResult>> asked = bench.ask(1);

        bench.time.advance(Duration.ofMillis(3_200));

        assertThat(resources(asked)).hasSize(1);
    }

    @Test
    void wishesThatWaitTogetherBecomeOneAssignOfUpToTen() {
        FactoryFixture bench = new FactoryFixture(1, 30).vswitch("vsw-1", 50);

        List<Resource> made = bench.get(21);

        assertThat(ips(made)).hasSize(21).doesNotHaveDuplicates();
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(1);
        assertThat(bench.cloud.calls(Call.ASSIGN)).isEqualTo(2);
    }

    @Test
    void aFullEniMeansANewOneAndThreeOperationsAtMost() {
        FactoryFixture bench = new FactoryFixture(7, 5).vswitch("vsw-1", 250);

        List<Resource> made = bench.get(33);

        assertThat(ips(made)).hasSize(33).doesNotHaveDuplicates();
        assertThat(bench.cloud.all()).hasSize(7);
        assertThat(bench.cloud.mostOperations()).isEqualTo(3);
    }

    @Test
    void beyondCapacityAWishFailsAtOnceAndNamesTheLimits() {
        FactoryFixture bench = new FactoryFixture(1, 3).vswitch("vsw-1", 50);

        List<CompletableFuture<CreateResult>> asked = bench.ask(4);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(resources(asked)).hasSize(3);
        assertThat(failures(asked)).singleElement().satisfies(failed -> {
            assertThat(failed.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
            assertThat(failed.message()).contains("1 ENIs with 3 addresses");
        });
    }

    @Test
    void aPartialAssignServesSomeAndAsksAgainForTheOthers() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        bench.get(1);
        bench.cloud.assignAtMost(2);

        List<Resource> made = bench.get(5);

        assertThat(ips(made)).hasSize(5).doesNotHaveDuplicates();
        assertThat(bench.cloud.calls(Call.ASSIGN)).isEqualTo(3);
    }

    @Test
    void aPartialAssignThatNeverEndsFailsTheRestWithoutHangingTheirCallers() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        bench.get(1);
        bench.cloud.assignAtMost(0);

        List<CompletableFuture<CreateResult>> asked = bench.ask(2);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(asked))
                .extracting(Failed::kind)
                .containsOnly(ErrorKind.UNAVAILABLE)
                .hasSize(2);
    }

    @Test
    void twoHundredWishesAtOnceGiveDistinctAddressesInFewCalls() {
        FactoryFixture bench = new FactoryFixture(7, 30).vswitch("vsw-1", 250);

        List<CompletableFuture<CreateResult>> asked = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            asked.addAll(bench.ask(1));
        }
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(ips(resources(asked))).hasSize(200).doesNotHaveDuplicates();
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(7);
        assertThat(bench.cloud.calls(Call.ASSIGN)).isLessThanOrEqualTo(22);
    }

    @Test
    void aWishPastItsDeadlineFailsAndIsNotAssigned() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);

        List<CompletableFuture<CreateResult>> asked = bench.ask(3, Duration.ofSeconds(1));
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(asked))
                .extracting(Failed::kind)
                .containsOnly(ErrorKind.DEADLINE_EXCEEDED)
                .hasSize(3);
        assertThat(bench.cloud.calls(Call.ASSIGN)).isZero();
        assertThat(ips(bench.list())).as("the primary is reported, not leaked").containsExactly("10.0.1.1");
    }

    @Test
    void anAddressThatArrivesAfterTheDeadlineGoesBackToTheCloud() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        bench.get(1);
        bench.latency = Duration.ofSeconds(1);
        List<CompletableFuture<CreateResult>> late = bench.ask(2, Duration.ofMillis(500));

        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(late))
                .extracting(Failed::kind)
                .containsOnly(ErrorKind.DEADLINE_EXCEEDED)
                .hasSize(2);
        assertThat(bench.cloud.calls(Call.ASSIGN)).isEqualTo(1);
        assertThat(bench.cloud.addresses()).containsExactly("10.0.1.1");
    }

    @Test
    void theSameTokenGivesTheSameAddressWhileItIsLent() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        CreateRequest request = bench.request(Duration.ofMinutes(1));

        var first = bench.factory().create(List.of(request)).get(0).toCompletableFuture();
        bench.time.advance(Duration.ofSeconds(30));
        var again = bench.factory().create(List.of(request)).get(0).toCompletableFuture();
        bench.time.settle();

        assertThat(again.join()).isEqualTo(first.join());
        assertThat(bench.cloud.addresses()).hasSize(1);
    }

    @Test
    void aWishForIpv6IsRefused() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        CreateRequest six = new CreateRequest(
                new io.enipam.sdk.RequestToken("six"),
                java.util.Set.of(io.enipam.sdk.Family.IPV6),
                bench.time.now().plusSeconds(60));

        var result = bench.factory().create(List.of(six)).get(0).toCompletableFuture();
        bench.time.settle();

        assertThat(result.join())
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.MISCONFIGURED));
    }

    @Test
    void closingAnswersEverybody() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        List<CompletableFuture<CreateResult>> asked = bench.ask(3);

        bench.factory().close();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(asked).allMatch(CompletableFuture::isDone);
    }

    @Test
    void capacityIsEnisTimesAddresses() {
        FactoryFixture bench = new FactoryFixture(3, 10).vswitch("vsw-1", 50);

        assertThat(bench.factory().capabilities().capacity()).isEqualTo(30);
        assertThat(bench.factory().capabilities().createBatch()).isEqualTo(10);
        assertThat(bench.factory().capabilities().replaysTokens()).isFalse();
    }
}
