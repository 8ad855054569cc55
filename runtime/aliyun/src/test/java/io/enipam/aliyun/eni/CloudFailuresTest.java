package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.failures;
import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the factory makes of a cloud that says no, says nothing, or changes its mind. */
class CloudFailuresTest {
    @Test
    void aFailedAttachDeletesTheEniJustCreated() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        bench.cloud.failNext(Call.ATTACH, "InvalidOperation.VpcMismatch", 403);

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(asked))
                .singleElement()
                .satisfies(failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.MISCONFIGURED));
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.events.types()).contains("EniFailed", "EniDeleted");
    }

    @Test
    void anEniTooManyIsDeletedAndNoneIsTriedForAMinute() {
        FactoryFixture bench = new FactoryFixture(1, 2, 3).vswitch("vsw-1", 50);
        bench.get(2);

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(10));
        assertThat(failures(asked)).extracting(Failed::kind).containsExactly(ErrorKind.QUOTA_EXHAUSTED);
        assertThat(bench.cloud.all()).hasSize(1);
        int creates = bench.cloud.calls(Call.CREATE);

        List<CompletableFuture<CreateResult>> soon = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(10));
        assertThat(failures(soon)).extracting(Failed::kind).containsExactly(ErrorKind.QUOTA_EXHAUSTED);
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(creates);

        bench.time.advance(Duration.ofMinutes(1));
        bench.ask(1);
        bench.time.advance(Duration.ofSeconds(10));
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(creates + 1);
    }

    @Test
    void anEmptyVSwitchIsLeftForTheNextOne() {
        FactoryFixture bench = new FactoryFixture(2, 10).vswitch("vsw-1", 3).vswitch("vsw-2", 50);

        List<Resource> made = bench.get(8);

        assertThat(ips(made)).hasSize(8).doesNotHaveDuplicates();
        assertThat(made)
                .filteredOn(r -> r.attributes().get(Resource.VSWITCH).equals("vsw-1"))
                .hasSize(3);
        assertThat(made)
                .filteredOn(r -> r.attributes().get(Resource.VSWITCH).equals("vsw-2"))
                .hasSize(5);
        assertThat(bench.events.types()).containsOnlyOnce("VSwitchEmpty");
    }

    @Test
    void whenAllVSwitchesAreEmptyAWishFailsByNameAndTheyAreAskedAgainAfterTenMinutes() {
        FactoryFixture bench = new FactoryFixture(2, 10).vswitch("vsw-1", 1);
        bench.get(1);

        List<CompletableFuture<CreateResult>> asked = bench.ask(2);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(failures(asked)).hasSize(2).allSatisfy(failed -> {
            assertThat(failed.kind()).isEqualTo(ErrorKind.ADDRESSES_EXHAUSTED);
            assertThat(failed.message()).contains("vsw-1");
        });
        int assigns = bench.cloud.calls(Call.ASSIGN);
        bench.ask(1);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.cloud.calls(Call.ASSIGN)).isEqualTo(assigns);

        bench.time.advance(Duration.ofMinutes(10));
        bench.ask(1);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.cloud.calls(Call.ASSIGN)).isGreaterThan(assigns);
    }

    @Test
    void anAddressGivenBackMakesAnEmptyVSwitchWorthAsking() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 2);
        List<Resource> made = bench.get(2);
        bench.ask(1);
        bench.time.advance(Duration.ofSeconds(5));

        bench.giveBack(made.stream().filter(r -> !r.primary()).toList());
        bench.time.advance(Duration.ofSeconds(5));

        assertThat(bench.get(1)).hasSize(1);
    }

    @Test
    void aThrottledAssignFailsItsWishesWithTimeToWait() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        bench.get(1);
        bench.cloud.failNext(Call.ASSIGN, "Throttling.User", 400);

        List<CompletableFuture<CreateResult>> asked = bench.ask(3);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(failures(asked)).hasSize(3).allSatisfy(failed -> {
            assertThat(failed.kind()).isEqualTo(ErrorKind.THROTTLED);
            assertThat(failed.retryAfter()).isPositive();
            assertThat(failed.message()).contains("Throttling.User").contains("request-");
        });
        assertThat(bench.get(3)).hasSize(3);
    }

    @Test
    void anAssignWhoseAnswerWasLostLeaksNothing() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        bench.get(1);
        bench.cloud.loseAnswerOf(Call.ASSIGN);

        List<Resource> made = bench.get(3);

        assertThat(ips(made)).hasSize(3);
        assertThat(bench.cloud.addresses()).hasSize(4);
        assertThat(bench.cloud.calls(Call.ASSIGN)).isEqualTo(1);
    }

    @Test
    void aCreateWhoseAnswerWasLostLeaksNoEni() {
        FactoryFixture bench = new FactoryFixture(2, 10).vswitch("vsw-1", 50);
        bench.cloud.loseAnswerOf(Call.CREATE);

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(asked)).hasSize(1);
        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void anAttachWhoseAnswerWasLostIsFollowedAndNotRepeated() {
        FactoryFixture bench = new FactoryFixture(2, 10).vswitch("vsw-1", 50);
        bench.cloud.loseAnswerOf(Call.ATTACH);

        assertThat(bench.get(1)).hasSize(1);
        assertThat(bench.cloud.calls(Call.ATTACH)).isEqualTo(1);
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(1);
    }

    @Test
    void sevenCreatesAgainstAThrottlingCloudLeakNoSlot() {
        FactoryFixture bench = new FactoryFixture(3, 1).vswitch("vsw-1", 50);
        for (int i = 0; i < 7; i++) {
            bench.cloud.failNext(Call.CREATE, "Throttling", 400);
        }
        for (int i = 0; i < 7; i++) {
            bench.get(1);
        }

        assertThat(bench.get(3)).hasSize(3);
    }

    @Test
    void anEniOfOthersCountIsReadAgainWhenTheCloudCountsMore() {
        FactoryFixture bench = new FactoryFixture(1, 4).vswitch("vsw-1", 50);
        bench.get(1);
        bench.cloud.assignPrivateIpAddresses("eni-1", 2, "somebody-else");

        List<CompletableFuture<CreateResult>> asked = bench.ask(3);
        bench.time.advance(Duration.ofSeconds(5));

        assertThat(ips(resources(asked)))
                .as("addresses found on the ENI are used")
                .hasSize(3);
        assertThat(bench.cloud.addresses()).hasSize(4);
    }

    @Test
    void anEniThatVanishedIsToldAndReplaced() {
        FactoryFixture bench = new FactoryFixture(2, 4).vswitch("vsw-1", 50);
        bench.get(1);
        bench.cloud.vanish("eni-1");

        assertThat(bench.get(1))
                .singleElement()
                .satisfies(r -> assertThat(r.parent()).isEqualTo("eni-2"));
        assertThat(bench.events.types()).contains("EniLost");
    }

    @Test
    void aStuckAttachLetsItsWishesGoElsewhere() {
        FactoryFixture bench = new FactoryFixture(2, 4).vswitch("vsw-1", 50);
        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(1));
        bench.cloud.stick("eni-1", CloudEniStatus.ATTACHING);

        bench.time.advance(Duration.ofMinutes(2));

        assertThat(resources(asked))
                .singleElement()
                .satisfies(r -> assertThat(r.parent()).isEqualTo("eni-2"));
        assertThat(bench.states()).containsExactly("Stuck", "InUse");
    }
}
