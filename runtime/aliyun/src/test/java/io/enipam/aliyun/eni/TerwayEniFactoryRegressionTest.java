package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.failures;
import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.engine.port.EniDirectory;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What terway's ENI factories of 2020 did wrong, one story each: resources that are in no set while they go, slots and
 * callers that a throttle or a partial answer loses, results that go to whoever asks first, ENIs forgotten before the cloud
 * has let go of them, and ENIs taken up that are on their way off.
 */
class TerwayEniFactoryRegressionTest {
    private static FactoryFixture bench(EniUse use, int enis) {
        FactoryFixture bench = new FactoryFixture(enis, use == EniUse.WHOLE ? 10 : 1).vswitch("vsw-1", 100);
        return use == EniUse.WHOLE ? bench.whole() : bench;
    }

    private static List<EniDirectory.Eni> book(FactoryFixture bench) {
        return bench.factory().enis();
    }

    @Test
    void anAddressOnItsWayOffIsInTheBookInNoListAndNobodysUntilItIsGone() {
        FactoryFixture bench = new FactoryFixture(1, 3).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(3);
        Resource leaving = made.stream().filter(r -> !r.primary()).findFirst().orElseThrow();
        String ip = ips(List.of(leaving)).get(0);
        bench.latency = Duration.ofSeconds(5);

        var results = bench.giveBack(List.of(leaving));
        CompletableFuture<List<Resource>> listed = bench.factory().list().toCompletableFuture();
        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(4));

        assertThat(results.get(0)).isNotDone();
        assertThat(book(bench))
                .singleElement()
                .satisfies(eni -> assertThat(eni.addresses()).contains(ip));
        assertThat(asked.get(0)).as("it still has its place on the ENI").isNotDone();

        bench.time.advance(Duration.ofMinutes(1));
        assertThat(results.get(0).getNow(null)).isInstanceOf(Disposed.class);
        assertThat(listed.getNow(List.of())).doesNotContain(leaving);
        assertThat(resources(asked)).hasSize(1);
        assertThat(bench.cloud.addresses()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource
    void anEniOnItsWayOffIsInTheBookInNoListAndKeepsItsSlotUntilTheCloudHasItNoMore(EniUse use) {
        FactoryFixture bench = bench(use, 1);
        List<Resource> made = bench.get(1);

        var results = bench.giveBack(made);
        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        while (!results.get(0).isDone()) {
            assertThat(book(bench)).extracting(EniDirectory.Eni::id).containsExactly("eni-1");
            assertThat(bench.list()).isEmpty();
            assertThat(bench.cloud.calls(Call.CREATE))
                    .as("nothing takes the slot while the first ENI is %s", bench.states())
                    .isEqualTo(1);
            bench.time.advance(Duration.ofMillis(100));
        }

        assertThat(bench.cloud.all()).extracting(NetworkInterface::id).doesNotContain("eni-1");
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(resources(asked)).hasSize(1);
    }

    /** Seven concurrent creates of terway's made three ENIs and left four slots unusable for good. */
    @ParameterizedTest
    @EnumSource
    void sevenCreatesInAThrottledMinuteLeaveAllSevenSlotsUsable(EniUse use) {
        FactoryFixture bench = bench(use, 7);
        bench.factory();
        for (int i = 0; i < 4; i++) {
            bench.cloud.failNext(Call.CREATE, "Throttling.User", 400);
        }

        List<CompletableFuture<CreateResult>> asked = bench.ask(7);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(asked).allMatch(CompletableFuture::isDone);
        assertThat(failures(asked)).hasSize(4);
        assertThat(bench.get(4)).hasSize(4);
        assertThat(bench.cloud.all()).hasSize(7);
    }

    @Test
    void aPartialAssignHangsNobodyAndWhoeverAsksMeanwhileIsAnswered() {
        FactoryFixture bench = new FactoryFixture(2, 10).vswitch("vsw-1", 50);
        Resource first =
                bench.get(2).stream().filter(r -> !r.primary()).findFirst().orElseThrow();
        bench.cloud.assignAtMost(2);
        bench.latency = Duration.ofSeconds(3);

        List<CompletableFuture<CreateResult>> five = bench.ask(5);
        CompletableFuture<List<Resource>> listed = bench.factory().list().toCompletableFuture();
        var disposed = bench.giveBack(List.of(first));
        assertThat(book(bench)).as("inspection waits for no call").hasSize(1);
        bench.time.advance(Duration.ofSeconds(4));
        assertThat(resources(five)).as("the two that came are lent at once").hasSize(2);
        assertThat(listed).isCompleted();

        bench.time.advance(Duration.ofMinutes(1));
        assertThat(ips(resources(five))).hasSize(5).doesNotHaveDuplicates();
        assertThat(disposed.get(0).getNow(null)).isInstanceOf(Disposed.class);
    }

    /** Terway's callers took whichever result lay in a channel they shared. */
    @ParameterizedTest
    @EnumSource
    void eachCallerHasItsOwnAnswerThoughOthersFailExpireAndAreServedBesideIt(EniUse use) {
        FactoryFixture bench = bench(use, 4);
        bench.factory();
        bench.cloud.failNext(Call.CREATE, "InvalidSecurityGroupId.NotFound", 404);

        List<CompletableFuture<CreateResult>> refused = bench.ask(1);
        List<CompletableFuture<CreateResult>> impatient = bench.ask(1, Duration.ofMillis(500));
        List<CompletableFuture<CreateResult>> patient = bench.ask(2);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(refused))
                .singleElement()
                .satisfies(failed -> assertThat(failed.message()).contains("InvalidSecurityGroupId.NotFound"));
        assertThat(failures(impatient))
                .singleElement()
                .satisfies(failed -> assertThat(failed.message()).contains("deadline"));
        assertThat(ips(resources(patient))).hasSize(2).doesNotHaveDuplicates();
        assertThat(bench.list()).containsAll(resources(patient));
    }

    @ParameterizedTest
    @EnumSource
    void oneRequestAskedForTwiceIsOneResource(EniUse use) {
        FactoryFixture bench = bench(use, 3);
        CreateRequest wish = bench.request(Duration.ofMinutes(1));

        CompletableFuture<CreateResult> first =
                bench.factory().create(List.of(wish)).get(0).toCompletableFuture();
        CompletableFuture<CreateResult> again =
                bench.factory().create(List.of(wish)).get(0).toCompletableFuture();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(again.getNow(null)).isEqualTo(first.getNow(null));
        assertThat(bench.cloud.all()).hasSize(1);
    }

    /** The slot was gone for ever when the last address went before the cloud had freed the ENI: a hundred times over. */
    @ParameterizedTest
    @EnumSource
    void comingAndGoingAHundredTimesLosesNoSlot(EniUse use) {
        FactoryFixture bench = bench(use, 2);
        for (int i = 0; i < 100; i++) {
            List<Resource> made = bench.get(2);
            assertThat(made).as("round %d", i).hasSize(2);
            bench.giveBack(made);
            bench.time.advance(Duration.ofMinutes(1));
        }
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(book(bench)).isEmpty();
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void enisOnTheirWayOffAreNotTakenUpAtStartHoweverOftenTheListIsRead(EniUse use) {
        FactoryFixture bench = bench(use, 4);
        Map<String, String> own = EniTags.identity(use, FactoryFixture.INSTANCE);
        String attached = bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, own);
        String leaving = bench.cloud.leftOver("vsw-1", CloudEniStatus.DETACHING, FactoryFixture.INSTANCE, own);
        String going = bench.cloud.leftOver("vsw-1", CloudEniStatus.DELETING, "", own);

        List<List<Resource>> lists = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            lists.add(bench.list());
            bench.time.advance(Duration.ofMillis(500));
        }

        assertThat(lists)
                .allSatisfy(list -> assertThat(list)
                        .singleElement()
                        .satisfies(resource -> assertThat(resource.id().value()).startsWith(attached)));
        assertThat(bench.cloud.all())
                .extracting(NetworkInterface::id)
                .containsExactly(attached)
                .doesNotContain(leaving, going);
    }
}
