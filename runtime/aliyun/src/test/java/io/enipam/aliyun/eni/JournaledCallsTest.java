package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.failures;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Operations are written down before the cloud is asked, and found again by the next run. */
class JournaledCallsTest {
    private static void begun(FactoryFixture bench, CloudOperation operation) {
        bench.journal.begin(CloudJournal.Entry.of(
                operation, bench.time.now(), bench.journal.begun().size()));
    }

    private static List<String> operations(FactoryFixture bench) {
        return bench.journal.begun().stream()
                .map(entry -> entry.operation().name())
                .toList();
    }

    // ---- a disk that refuses, a disk that is slow

    @Test
    void aDiskThatRefusesMeansNoCloudCallAndAReasonAndTheNextTryWorks() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.journal.broken(true);

        List<CompletableFuture<CreateResult>> asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(10));

        assertThat(failures(asked)).singleElement().satisfies(failed -> {
            assertThat(failed.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
            assertThat(failed.retryAfter()).isPositive();
            assertThat(failed.message())
                    .contains("could not be written down first", "No space left on device", "the cloud was not asked");
        });
        assertThat(bench.cloud.calls(Call.CREATE)).isZero();

        bench.journal.broken(false);
        assertThat(bench.get(1)).hasSize(1);
    }

    @Test
    void anAssignTheDiskRefusesFailsItsWishesAndNobodyElses() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> before = bench.get(1);
        bench.journal.broken(true);

        List<CompletableFuture<CreateResult>> asked = bench.ask(3);
        bench.time.advance(Duration.ofSeconds(10));

        assertThat(failures(asked)).extracting(Failed::kind).containsOnly(ErrorKind.UNAVAILABLE);
        assertThat(failures(asked)).hasSize(3);
        assertThat(bench.cloud.calls(Call.ASSIGN)).isZero();
        assertThat(bench.list()).isEqualTo(before);
        bench.journal.broken(false);
        assertThat(bench.get(3)).hasSize(3);
    }

    @Test
    void aDetachTheDiskRefusesIsTriedAgainUntilItIsWritten() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<Resource> made = bench.get(1);
        bench.journal.broken(true);

        var going = bench.giveBack(made);
        bench.time.advance(Duration.ofSeconds(20));
        assertThat(bench.cloud.calls(Call.DETACH)).isZero();
        assertThat(going.get(0)).isNotDone();

        bench.journal.broken(false);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(going.get(0).getNow(null)).isInstanceOf(Disposed.class);
        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void aSlowDiskDelaysTheCallAndNothingElse() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        List<CompletableFuture<Void>> writing = new ArrayList<>();
        CloudJournal slow = new CloudJournal() {
            @Override
            public CompletionStage<Void> begin(Entry entry) {
                writing.add(new CompletableFuture<>());
                return writing.get(writing.size() - 1);
            }

            @Override
            public void end(String id) {}

            @Override
            public List<Entry> open() {
                return List.of();
            }
        };
        bench.restart(slow);
        List<CompletableFuture<CreateResult>> patient = bench.ask(1);
        List<CompletableFuture<CreateResult>> hasty = bench.ask(1, Duration.ofSeconds(2));
        bench.time.advance(Duration.ofSeconds(5));

        assertThat(bench.cloud.calls(Call.CREATE)).isZero();
        assertThat(bench.states()).containsExactly("Creating");
        assertThat(failures(hasty)).extracting(Failed::kind).containsExactly(ErrorKind.DEADLINE_EXCEEDED);

        writing.get(0).complete(null);
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(bench.cloud.calls(Call.CREATE)).isOne();
        writing.get(1).complete(null);
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(resources(patient)).hasSize(1);
    }

    // ---- a create whose answer was lost

    @Test
    void aCreateWhoseAnswerWasLostIsCalledAgainWithTheSameTokenAndItsEniGoes() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        bench.cloud.loseAnswerOf(Call.CREATE);

        bench.ask(1);
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(bench.cloud.all()).hasSize(1);
        assertThat(bench.journal.open()).hasSize(1);

        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(2);
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.journal.open()).isEmpty();
        assertThat(operations(bench)).containsExactly("create", "delete");
    }

    @Test
    void aLostCreateStaysOpenForAsLongAsTheCloudDoesNotAnswer() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        bench.cloud.loseAnswerOf(Call.CREATE);
        for (int i = 0; i < 4; i++) {
            bench.cloud.failNext(Call.CREATE, "ServiceUnavailable", 503);
        }

        bench.ask(1);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.journal.open()).hasSize(1);

        bench.time.advance(Duration.ofMinutes(10));
        assertThat(bench.journal.open()).isEmpty();
        assertThat(bench.cloud.all()).isEmpty();
    }

    @Test
    void aCreateThatTheCloudRefusedIsOverAtOnce() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        bench.cloud.failNext(Call.CREATE, "MaxEniCountExceeded", 403);

        bench.ask(1);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(bench.journal.open()).isEmpty();
        assertThat(bench.cloud.calls(Call.CREATE)).isOne();
    }

    // ---- what an earlier run left open

    @Test
    void aCreateThatNeverReachedTheCloudIsMadeAndUnmadeRatherThanLost() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        begun(bench, new CloudOperation.Create("enipam-old", "vsw-1", List.of("sg-1"), FactoryFixture.OWN, 0));

        assertThat(bench.restart()).isEmpty();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.cloud.calls(Call.CREATE)).isOne();
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.journal.open()).isEmpty();
        assertThat(bench.events.types()).contains("OperationRecovered", "EniDeleted");
    }

    @Test
    void anEniThatLooksDoNotShowYetIsDeletedAllTheSame() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        begun(bench, new CloudOperation.Create("enipam-old", "vsw-1", List.of("sg-1"), FactoryFixture.OWN, 0));
        bench.cloud.hideNew(Duration.ofSeconds(3));

        assertThat(bench.restart()).isEmpty();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void aCreateTheCloudRefusesWhenAskedAgainMadeNothing() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        begun(bench, new CloudOperation.Create("enipam-old", "vsw-gone", List.of("sg-1"), FactoryFixture.OWN, 0));

        assertThat(bench.restart()).isEmpty();

        assertThat(bench.journal.open()).isEmpty();
        assertThat(bench.states()).isEmpty();
    }

    @Test
    void aCreateTheCloudCannotAnswerAtStartDoesNotHoldUpTheStart() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        begun(bench, new CloudOperation.Create("enipam-old", "vsw-1", List.of("sg-1"), FactoryFixture.OWN, 0));
        bench.cloud.failNext(Call.CREATE, "InternalError", 500);

        assertThat(bench.restart()).isEmpty();
        assertThat(bench.journal.open()).hasSize(1);
        assertThat(bench.get(1)).hasSize(1);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.journal.open()).isEmpty();
        assertThat(bench.cloud.all()).hasSize(1);
    }

    @Test
    void anAddressThatWasToGoIsNotListedBeforeItIsGone() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.get(3);
        begun(bench, new CloudOperation.Unassign("eni-1", List.of("10.0.1.2")));
        bench.cloud.failNext(Call.UNASSIGN, "Throttling.User", 400);

        CompletableFuture<List<Resource>> refused = bench.begin();
        bench.time.settle();
        assertThat(refused).isCompletedExceptionally();
        assertThat(bench.journal.open()).hasSize(1);

        assertThat(FactoryFixture.ips(bench.list())).containsExactly("10.0.1.1", "10.0.1.3");
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void anUnassignOfWhatIsGoneAlreadyIsOver() {
        FactoryFixture bench = new FactoryFixture(1, 5).vswitch("vsw-1", 50);
        bench.get(2);
        begun(bench, new CloudOperation.Unassign("eni-1", List.of("10.0.1.77")));
        begun(bench, new CloudOperation.Unassign("eni-gone", List.of("10.0.1.2")));

        assertThat(bench.restart()).hasSize(2);

        assertThat(bench.cloud.calls(Call.UNASSIGN)).isZero();
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void theLastStepOfAnEnisWayDecidesWhereItGoes() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        String coming = bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", FactoryFixture.OWN);
        String going =
                bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, FactoryFixture.INSTANCE, FactoryFixture.OWN);
        begun(bench, new CloudOperation.Attach(coming, FactoryFixture.INSTANCE));
        begun(bench, new CloudOperation.Attach(going, FactoryFixture.INSTANCE));
        begun(bench, new CloudOperation.Detach(going, FactoryFixture.INSTANCE));

        assertThat(bench.restart()).isEmpty();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.cloud.all()).extracting(eni -> eni.id()).containsExactly(coming);
        assertThat(bench.states()).containsExactly("InUse");
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void anEniThatHangsOnAnotherInstanceByNowIsNotTouched() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        String moved = bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, "i-other", FactoryFixture.OWN);
        begun(bench, new CloudOperation.Detach(moved, FactoryFixture.INSTANCE));

        assertThat(bench.restart()).isEmpty();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.cloud.calls(Call.DETACH)).isZero();
        assertThat(bench.cloud.all()).hasSize(1);
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void twoListsAtOnceSettleWhatIsOpenOnce() {
        FactoryFixture bench = new FactoryFixture(2, 5).vswitch("vsw-1", 50);
        begun(bench, new CloudOperation.Create("enipam-old", "vsw-1", List.of("sg-1"), FactoryFixture.OWN, 0));

        CompletableFuture<List<Resource>> first = bench.begin();
        CompletableFuture<List<Resource>> second = bench.factory().list().toCompletableFuture();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(first).isCompletedWithValue(List.of());
        assertThat(second).isCompletedWithValue(List.of());
        assertThat(bench.cloud.calls(Call.CREATE)).isOne();
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.journal.open()).isEmpty();
    }
}
