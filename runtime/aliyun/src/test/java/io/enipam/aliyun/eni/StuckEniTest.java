package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** ENIs that do not get where they shall: called stuck, asked again, holding their slot, holding up nobody. */
class StuckEniTest {
    private final FactoryFixture bench = new FactoryFixture(1, 3).vswitch("vsw-1", 50);

    @ParameterizedTest
    @EnumSource(
            value = CloudEniStatus.class,
            names = {"DETACHING", "DELETING"})
    void aStuckStepIsAskedAgainAndTheSlotIsKeptUntilTheEniIsTrulyGone(CloudEniStatus where) {
        Call step = where == CloudEniStatus.DETACHING ? Call.DETACH : Call.DELETE;
        List<Resource> made = bench.get(1);
        var going = bench.giveBack(made);
        while (bench.cloud.calls(step) == 0) {
            bench.time.advance(Duration.ofMillis(100));
        }
        bench.cloud.stick("eni-1", where);

        bench.time.advance(Duration.ofMinutes(3));
        assertThat(bench.states()).containsExactly("Stuck");
        assertThat(bench.cloud.calls(step)).as("asked again, at a quiet pace").isBetween(2, 8);
        assertThat(bench.events.types()).containsOnlyOnce("EniStuck");
        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.cloud.calls(Call.CREATE)).as("the slot is taken").isOne();
        assertThat(going.get(0)).isNotDone();

        bench.cloud.release("eni-1");
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(going.get(0).getNow(null)).isInstanceOf(Disposed.class);
        assertThat(resources(asked)).extracting(Resource::parent).containsExactly("eni-2");
        assertThat(bench.states()).containsExactly("InUse");
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void whatWasStuckDetachingAndMovesIsDeletingAgainAndNotStuck() {
        List<Resource> made = bench.get(1);
        bench.giveBack(made);
        bench.time.advance(Duration.ofMillis(100));
        bench.cloud.stick("eni-1", CloudEniStatus.DETACHING);
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.states()).containsExactly("Stuck");

        bench.cloud.release("eni-1");
        while (bench.cloud.calls(Call.DELETE) == 0) {
            bench.time.advance(Duration.ofMillis(100));
        }

        assertThat(bench.states()).containsExactly("Deleting");
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(bench.states()).as("looked at quickly again").isEmpty();
    }

    @Test
    void anEniThatIsRefusedItsDetachForGoodIsToldAndAskedAgainQuietly() {
        List<Resource> made = bench.get(1);
        for (int i = 0; i < 3; i++) {
            bench.cloud.failNext(Call.DETACH, "InvalidOperation.EniServiceManaged", 403);
        }

        var going = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(50));
        assertThat(bench.states()).containsExactly("Stuck");
        assertThat(bench.cloud.calls(Call.DETACH)).isBetween(2, 3);
        assertThat(bench.events.types()).contains("EniFailed");

        bench.time.advance(Duration.ofMinutes(3));
        assertThat(going.get(0).getNow(null)).isInstanceOf(Disposed.class);
    }

    @Test
    void anAttachThatEndsAfterAllIsUsedAndMeanwhileTheReasonIsNamed() {
        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(1));
        bench.cloud.stick("eni-1", CloudEniStatus.ATTACHING);
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.states()).containsExactly("Stuck");
        assertThat(FactoryFixture.failures(asked))
                .singleElement()
                .satisfies(failed ->
                        assertThat(failed.message()).contains("held by ENIs that are stuck on their way: eni-1"));

        bench.cloud.release("eni-1");
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.states()).containsExactly("InUse");
        assertThat(ips(bench.get(1))).containsExactly("10.0.1.1");
        assertThat(bench.cloud.calls(Call.ATTACH)).isOne();
    }

    @Test
    void whatWasStuckWhenTheDaemonDiedIsFollowedByTheNextOne() {
        List<Resource> made = bench.get(1);
        bench.giveBack(made);
        bench.time.advance(Duration.ofMillis(100));
        bench.cloud.stick("eni-1", CloudEniStatus.DETACHING);
        bench.time.advance(Duration.ofMinutes(2));

        assertThat(bench.restart()).isEmpty();
        assertThat(bench.states()).containsExactly("Detaching");
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.states()).containsExactly("Stuck");

        bench.cloud.release("eni-1");
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void sevenEnisGivenBackAtOnceGoThreeAtATime() {
        FactoryFixture wide = new FactoryFixture(7, 1).vswitch("vsw-1", 50);
        List<Resource> made = wide.get(7);

        var going = wide.giveBack(made);
        wide.time.advance(Duration.ofMinutes(1));

        assertThat(going).allMatch(result -> result.getNow(null) instanceof Disposed);
        assertThat(wide.cloud.mostOperations()).isEqualTo(3);
        assertThat(wide.cloud.calls(Call.DETACH)).isEqualTo(7);
        assertThat(wide.cloud.calls(Call.DELETE)).isEqualTo(7);
    }

    @Test
    void noMoreThanTenWishesAreBoundToAnEniAndTheOthersWaitForAnyEni() {
        FactoryFixture wide = new FactoryFixture(2, 30).vswitch("vsw-1", 250);
        wide.get(1);
        wide.latency = Duration.ofSeconds(1);

        List<CompletableFuture<CreateResult>> asked = wide.ask(29);
        assertThat(wide.factory().enis())
                .as("ten in the call that is out, ten in the backlog")
                .allMatch(eni -> eni.queued() <= 2 * Eni.BACKLOG);

        wide.time.advance(Duration.ofMinutes(1));
        assertThat(resources(asked)).hasSize(29);
        assertThat(wide.cloud.calls(Call.ASSIGN)).isEqualTo(3);
        assertThat(wide.cloud.calls(Call.CREATE))
                .as("the first ENI had room for all")
                .isOne();
    }
}
