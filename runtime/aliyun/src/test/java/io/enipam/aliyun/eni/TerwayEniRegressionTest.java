package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.failures;
import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Mistakes the Terway of 2020 made with ENIs and their addresses, each as the story that a user would have told of it. */
class TerwayEniRegressionTest {
    /** There, a disposal that failed slept in the one loop of the pool, and an ENI's primary address blocked the queue. */
    @Test
    void anEniThatCannotGoKeepsNoOtherAddressAndNoOtherEniFromGoing() {
        FactoryFixture bench = new FactoryFixture(3, 2).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(6);
        bench.cloud.stick("eni-1", CloudEniStatus.IN_USE);
        List<Resource> stuckFirst = new ArrayList<>(made);
        stuckFirst.sort((a, b) -> a.parent().compareTo(b.parent()));

        var going = bench.giveBack(stuckFirst);
        bench.time.advance(Duration.ofSeconds(30));

        assertThat(bench.cloud.all()).extracting(eni -> eni.id()).containsExactly("eni-1");
        assertThat(going.stream().filter(result -> result.getNow(null) instanceof Disposed))
                .as("all but the primary address of the ENI that stays")
                .hasSize(5);
    }

    /** There, tokens stood in for room, and surplus ones let eight addresses be in use where five were allowed. */
    @Test
    void whateverComesAndGoesThereIsNeverMoreThanThereIsRoomFor() {
        FactoryFixture bench = new FactoryFixture(2, 3).vswitch("vsw-1", 100);
        Random random = new Random(11);
        bench.latency = Duration.ofMillis(40);
        List<CompletableFuture<CreateResult>> asked = new ArrayList<>();
        List<Resource> held = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            if (random.nextBoolean()) {
                asked.addAll(bench.ask(1 + random.nextInt(4), Duration.ofSeconds(20)));
            } else if (!held.isEmpty()) {
                bench.giveBack(List.of(held.remove(random.nextInt(held.size()))));
            }
            if (random.nextInt(8) == 0) {
                Call call = List.of(Call.CREATE, Call.ATTACH, Call.ASSIGN, Call.UNASSIGN, Call.DETACH)
                        .get(random.nextInt(5));
                bench.cloud.failNext(call, random.nextBoolean() ? "Throttling" : "InternalError", 400);
            }
            bench.time.advance(Duration.ofMillis(random.nextInt(1500)));
            resources(asked).forEach(held::add);
            asked.removeIf(CompletableFuture::isDone);

            assertThat(bench.cloud.all().stream().filter(eni -> eni.instanceId().equals(FactoryFixture.INSTANCE)))
                    .as("step %s", i)
                    .hasSizeLessThanOrEqualTo(2);
            assertThat(bench.cloud.addresses()).as("step %s", i).hasSizeLessThanOrEqualTo(6);
            assertThat(bench.states()).as("step %s", i).hasSizeLessThanOrEqualTo(2);
        }
        assertThat(ips(held)).doesNotHaveDuplicates();
    }

    /** There, an address that was being disposed of was in no set at all, and nobody could say where it was. */
    @Test
    void anAddressOnItsWayOutIsSeenOnItsEniUntilTheCloudHasItBackAndIsListedNoMore() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(3);
        Resource leaving = made.stream()
                .filter(resource -> !resource.primary())
                .findFirst()
                .orElseThrow();
        bench.latency = Duration.ofSeconds(2);

        var going = bench.giveBack(List.of(leaving));
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(bench.factory().enis().get(0).addresses())
                .contains(leaving.addresses().get(0).host());
        assertThat(going.get(0)).isNotDone();
        assertThat(ips(bench.list())).hasSize(2);

        bench.time.advance(Duration.ofSeconds(10));
        assertThat(going.get(0).getNow(null)).isInstanceOf(Disposed.class);
        assertThat(bench.factory().enis().get(0).addresses()).hasSize(2);
    }

    /** There, two of five addresses left three callers hanging, and a lock that was held meanwhile stopped every call. */
    @Test
    void twoAddressesForFiveCallersHangNobodyAndInspectionGoesOn() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        bench.get(1);
        bench.latency = Duration.ofSeconds(1);
        bench.cloud.assignAtMost(2);

        List<CompletableFuture<CreateResult>> asked = bench.ask(5);
        assertThat(bench.factory().enis().get(0).queued())
                .as("asked in the middle of the call")
                .isEqualTo(5);
        bench.time.advance(Duration.ofMillis(1500));
        assertThat(resources(asked))
                .as("those there is one for have it at once")
                .hasSize(2);

        bench.time.advance(Duration.ofSeconds(10));
        assertThat(asked).allMatch(CompletableFuture::isDone);
        assertThat(ips(resources(asked))).hasSize(5).doesNotHaveDuplicates();
    }

    /** There, whoever came first to a shared channel took the result that was meant for another. */
    @Test
    void everyCallerHearsTheOutcomeOfItsOwnWish() {
        FactoryFixture bench = new FactoryFixture(1, 10).vswitch("vsw-1", 50);
        bench.get(1);
        bench.latency = Duration.ofSeconds(1);

        List<CompletableFuture<CreateResult>> hasty = bench.ask(1, Duration.ofMillis(500));
        List<CompletableFuture<CreateResult>> patient = bench.ask(3);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(hasty)).extracting(Failed::kind).containsExactly(ErrorKind.DEADLINE_EXCEEDED);
        assertThat(ips(resources(patient))).hasSize(3).doesNotHaveDuplicates();
        assertThat(bench.list()).hasSize(4);
        assertThat(bench.cloud.addresses())
                .as("what came for the hasty one did not leak")
                .hasSize(4);
    }

    /** There, disposing of the last address forgot the ENI before the cloud had freed it, and the slot was gone for ever. */
    @Test
    void aSlotIsTakenAndGivenBackAHundredTimesAndIsStillThere() {
        FactoryFixture bench = new FactoryFixture(1, 1).vswitch("vsw-1", 50);
        for (int i = 0; i < 100; i++) {
            List<Resource> made = bench.get(1);
            assertThat(made).as("round %s", i).hasSize(1);
            bench.giveBack(made);
        }
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.states()).isEmpty();
    }

    /** There, an Assign was repeated without a token and its outcome judged by numbers: addresses were left to nobody. */
    @Test
    void anAssignWhoseAnswerIsLostWhileOthersWaitGivesEachAddressToExactlyOneCaller() {
        FactoryFixture bench = new FactoryFixture(1, 12).vswitch("vsw-1", 50);
        bench.get(1);
        bench.cloud.assignAtMost(2);
        bench.cloud.loseAnswerOf(Call.ASSIGN);

        List<CompletableFuture<CreateResult>> asked = bench.ask(3);
        bench.time.advance(Duration.ofMillis(1));
        asked = new ArrayList<>(asked);
        asked.addAll(bench.ask(2));
        bench.time.advance(Duration.ofMinutes(1));

        List<String> given = ips(resources(asked));
        assertThat(given).doesNotHaveDuplicates();
        assertThat(bench.cloud.addresses())
                .as("what the cloud has on the ENI and what callers have is the same")
                .hasSize(given.size() + 1)
                .containsAll(given);
        assertThat(asked).allMatch(CompletableFuture::isDone);
        assertThat(bench.journal.open()).isEmpty();
    }
}
