package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Giving addresses back: batches, the primary address last, slots kept. */
class DisposalTest {
    private static List<Resource> secondaries(List<Resource> all) {
        return all.stream().filter(resource -> !resource.primary()).toList();
    }

    private static List<Resource> primaries(List<Resource> all) {
        return all.stream().filter(Resource::primary).toList();
    }

    private static DisposeResult only(List<CompletableFuture<DisposeResult>> results) {
        assertThat(results).hasSize(1);
        assertThat(results.get(0)).isDone();
        return results.get(0).join();
    }

    @Test
    void disposalsThatWaitTogetherBecomeOneUnassignOfUpToTen() {
        FactoryFixture bench = new FactoryFixture(1, 20).vswitch("vsw-1", 50);
        List<Resource> made = secondaries(bench.get(16));

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(results)
                .allMatch(result -> result.getNow(null) instanceof Disposed)
                .hasSize(15);
        assertThat(bench.cloud.calls(Call.UNASSIGN)).isEqualTo(2);
        assertThat(bench.cloud.addresses()).hasSize(1);
    }

    @Test
    void aPrimaryAddressWithSiblingsInUseIsAConflict() {
        FactoryFixture bench = new FactoryFixture(1, 20).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(3);

        var results = bench.giveBack(primaries(made));
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(only(results))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.CONFLICT));
        assertThat(bench.states()).containsExactly("InUse");
    }

    @Test
    void thePrimaryAddressGoesLastAndWithItsEni() {
        FactoryFixture bench = new FactoryFixture(1, 20).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(3);

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(bench.states()).containsExactly("Detaching");
        bench.time.advance(Duration.ofSeconds(3));
        assertThat(bench.states()).containsExactly("Deleting");
        assertThat(results.get(0)).isNotDone();
        bench.time.advance(Duration.ofSeconds(10));

        assertThat(results).allMatch(result -> result.getNow(null) instanceof Disposed);
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.states()).isEmpty();
        assertThat(bench.events.types()).endsWith("EniDeleted");
    }

    @Test
    void theSlotIsKeptUntilTheEniIsAbsentAndThenServesWhoWaits() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(1);
        bench.cloud.stick("eni-1", CloudEniStatus.IN_USE);
        bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(8));
        assertThat(bench.cloud.calls(Call.CREATE))
                .as("no second ENI while the first holds the slot")
                .isEqualTo(1);

        bench.cloud.release("eni-1");
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(ips(resources(asked))).hasSize(1);
        assertThat(bench.cloud.all()).hasSize(1);
    }

    @Test
    void disposingTwiceIsDisposed() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = secondaries(bench.get(2));
        bench.latency = Duration.ofMillis(100);

        var first = bench.giveBack(made);
        var joined = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));
        var again = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(only(first)).isInstanceOf(Disposed.class);
        assertThat(only(joined)).isInstanceOf(Disposed.class);
        assertThat(only(again)).isInstanceOf(Disposed.class);
        assertThat(bench.cloud.calls(Call.UNASSIGN)).isEqualTo(1);
    }

    @Test
    void disposingAPrimaryTwiceWaitsForTheSameEnd() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(1);

        var first = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));
        var second = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(20));

        assertThat(only(first)).isInstanceOf(Disposed.class);
        assertThat(only(second)).isInstanceOf(Disposed.class);
        assertThat(bench.cloud.calls(Call.DETACH)).isEqualTo(1);
        assertThat(bench.cloud.calls(Call.DELETE)).isEqualTo(1);
    }

    @Test
    void anUnassignWhoseAnswerWasLostIsSettledByALook() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = secondaries(bench.get(3));
        bench.cloud.loseAnswerOf(Call.UNASSIGN);

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(results)
                .allMatch(result -> result.getNow(null) instanceof Disposed)
                .hasSize(2);
        assertThat(bench.cloud.calls(Call.UNASSIGN)).isEqualTo(1);
    }

    @Test
    void anUnassignWhoseAnswerWasLostIsBelievedDoneThoughTheAddressCameOnlyJustNow() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.get(1);
        var asked = bench.ask(3);
        bench.time.advance(AddressBatcher.QUIET);
        List<Resource> made = resources(asked);
        assertThat(made).hasSize(3);
        bench.cloud.loseAnswerOf(Call.UNASSIGN);

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(results)
                .allMatch(result -> result.getNow(null) instanceof Disposed)
                .hasSize(3);
        assertThat(bench.cloud.calls(Call.UNASSIGN)).isEqualTo(1);
        assertThat(bench.list()).hasSize(1);
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void anAddressSomebodyElseTookOffDoesNotKeepTheOthersOn() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = secondaries(bench.get(4));
        bench.cloud.steal("eni-1", ips(made).get(0));

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(results)
                .allMatch(result -> result.getNow(null) instanceof Disposed)
                .hasSize(3);
        assertThat(bench.cloud.addresses()).hasSize(1);
    }

    @Test
    void aRefusedUnassignFailsAndTheAddressStaysTheEngines() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = secondaries(bench.get(2));
        bench.cloud.failNext(Call.UNASSIGN, "Throttling.User", 400);

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(only(results)).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.kind()).isEqualTo(ErrorKind.THROTTLED);
            assertThat(failed.retryAfter()).isPositive();
        });
        assertThat(bench.list()).hasSize(2);
    }

    @Test
    void aStuckDetachIsToldAskedAgainAndHoldsUpNobodyElse() {
        FactoryFixture bench = new FactoryFixture(2, 2).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(1);
        bench.cloud.stick("eni-1", CloudEniStatus.DETACHING);
        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(90));

        assertThat(bench.states()).containsExactly("Stuck");
        assertThat(bench.events.types()).contains("EniStuck");
        assertThat(bench.cloud.calls(Call.DETACH)).isGreaterThan(1);
        assertThat(bench.get(2)).hasSize(2);

        bench.cloud.release("eni-1");
        bench.time.advance(Duration.ofMinutes(3));
        assertThat(only(results)).isInstanceOf(Disposed.class);
    }
}
