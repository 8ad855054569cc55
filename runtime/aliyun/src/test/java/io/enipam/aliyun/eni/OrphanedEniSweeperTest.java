package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.engine.port.EniSweeper.Candidate;
import io.enipam.engine.port.EniSweeper.Report;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What was left behind goes, and nothing else. */
class OrphanedEniSweeperTest {
    private static final Duration OLD = Duration.ofMinutes(11);

    private final FactoryFixture bench = new FactoryFixture(3, 5).vswitch("vsw-1", 50);

    private String leftBehind() {
        bench.factory();
        return bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", FactoryFixture.OWN);
    }

    private CompletableFuture<Report> sweeping(boolean dryRun) {
        CompletableFuture<Report> swept =
                bench.factory().sweeper().sweep(dryRun).toCompletableFuture();
        bench.time.settle();
        return swept;
    }

    private Report sweep(boolean dryRun) {
        CompletableFuture<Report> swept = sweeping(dryRun);
        assertThat(swept).isCompleted();
        return swept.join();
    }

    private List<String> enis() {
        return bench.cloud.all().stream().map(NetworkInterface::id).toList();
    }

    @Test
    void whatNobodyKnowsIsDeletedAndTold() {
        String left = leftBehind();
        bench.time.advance(OLD);

        Report report = sweep(false);

        assertThat(report.examined()).isEqualTo(1);
        assertThat(report.candidates()).singleElement().satisfies(candidate -> {
            assertThat(candidate.id()).isEqualTo(left);
            assertThat(candidate.state()).isEqualTo("Available");
            assertThat(candidate.vswitch()).isEqualTo("vsw-1");
            assertThat(candidate.addresses()).containsExactly("10.0.1.1");
            assertThat(candidate.age()).contains(OLD);
            assertThat(candidate.taken()).isTrue();
            assertThat(candidate.reason()).isEqualTo("nobody knows it");
        });
        assertThat(bench.states()).containsExactly("Deleting");
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(enis()).isEmpty();
        assertThat(bench.states()).isEmpty();
        assertThat(bench.events.types()).contains("EniSwept", "EniDeleted");
        assertThat(bench.journal.begun())
                .extracting(entry -> entry.operation().name())
                .containsExactly("delete");
        assertThat(bench.journal.open()).isEmpty();
    }

    @Test
    void aDryRunSaysTheSameAndDoesNothing() {
        String left = leftBehind();
        bench.time.advance(OLD);

        Report report = sweep(true);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(report.dryRun()).isTrue();
        assertThat(report.candidates()).extracting(Candidate::taken).containsExactly(true);
        assertThat(report.candidates()).extracting(Candidate::reason).containsExactly("nobody knows it");
        assertThat(enis()).containsExactly(left);
        assertThat(bench.cloud.calls(Call.DELETE)).isZero();
    }

    @Test
    void anEniThatPodsHaveAddressesOfStaysThoughNoBookHasIt() {
        String left = leftBehind();
        bench.known = List.of(new KnownAddressPairs.Pair("10.0.1.1", Optional.empty()));
        bench.time.advance(OLD);

        assertThat(sweep(false).candidates()).extracting(Candidate::taken).containsExactly(false);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(enis()).containsExactly(left);
    }

    @Test
    void whatThePoolHasIsNoCandidate() {
        bench.get(7);
        bench.time.advance(OLD);

        Report report = sweep(false);

        assertThat(report.examined()).isEqualTo(2);
        assertThat(report.candidates()).isEmpty();
    }

    @Test
    void whatIsYoungerThanTenMinutesMayBeOnItsWayAndStays() {
        String left = leftBehind();
        bench.time.advance(Duration.ofMinutes(10).minusNanos(1));

        assertThat(sweep(false).candidates())
                .extracting(Candidate::taken, Candidate::reason)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(false, "it is younger than 10m"));

        bench.time.advance(Duration.ofNanos(1));
        assertThat(sweep(false).candidates()).extracting(Candidate::id).containsExactly(left);
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(enis()).isEmpty();
    }

    @Test
    void aNodeWhoseClockIsAheadOfTheCloudsTakesNoFreshEni() {
        bench.cloud.clockAhead(Optional.of(Duration.ofMinutes(-14)));
        leftBehind();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(sweep(false).candidates()).singleElement().satisfies(candidate -> {
            assertThat(candidate.age()).contains(Duration.ofMinutes(1));
            assertThat(candidate.taken()).isFalse();
        });
    }

    @Test
    void aNodeWhoseClockIsBehindTheCloudsTakesAnOldOneAllTheSame() {
        bench.cloud.clockAhead(Optional.of(Duration.ofMinutes(14)));
        leftBehind();
        bench.time.advance(OLD);

        assertThat(sweep(false).candidates()).extracting(Candidate::taken).containsExactly(true);
    }

    @Test
    void withoutTheCloudsClockAnEniMustBeOlderByAsMuchAsThisNodesClockMayBeWrong() {
        bench.cloud.clockAhead(Optional.empty());
        leftBehind();
        bench.time.advance(Duration.ofMinutes(24));
        assertThat(sweep(false).candidates()).singleElement().satisfies(candidate -> {
            assertThat(candidate.taken()).isFalse();
            assertThat(candidate.reason()).contains("younger than 25m", "this node's clock");
        });

        bench.time.advance(Duration.ofMinutes(1));
        assertThat(sweep(false).candidates()).extracting(Candidate::taken).containsExactly(true);
    }

    @Test
    void whileACreatesOutcomeIsOpenNothingIsTaken() {
        bench.factory();
        bench.cloud.loseAnswerOf(Call.CREATE);
        for (int i = 0; i < 50; i++) {
            bench.cloud.failNext(Call.CREATE, "ServiceUnavailable", 503);
        }
        bench.ask(1);
        bench.time.advance(Duration.ofMinutes(30));
        assertThat(enis()).hasSize(1);

        assertThat(sweep(false).candidates()).singleElement().satisfies(candidate -> {
            assertThat(candidate.taken()).isFalse();
            assertThat(candidate.reason()).isEqualTo("a create is under way that may have made it");
        });
    }

    @Test
    void whatHangsOnAnInstanceOrIsOnItsWayStays() {
        bench.factory();
        bench.cloud.leftOver("vsw-1", CloudEniStatus.IN_USE, "i-other", FactoryFixture.OWN);
        String attaching = bench.cloud.leftOver("vsw-1", CloudEniStatus.ATTACHING, "", FactoryFixture.OWN);
        bench.cloud.stick(attaching, CloudEniStatus.ATTACHING);
        bench.time.advance(OLD);

        assertThat(sweep(false).candidates()).allMatch(candidate -> !candidate.taken());
        assertThat(sweep(false).candidates())
                .extracting(Candidate::reason)
                .containsExactly("it hangs on instance i-other", "it is on its way: only what is Available is taken");
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(enis()).hasSize(2);
    }

    @Test
    void twoNodesNeverTakeEachOthersEnis() {
        leftBehind();
        bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", Map.of("creator", "enipam", "node", "i-2"));
        bench.cloud.leftOver("vsw-1", CloudEniStatus.AVAILABLE, "", Map.of("node", FactoryFixture.INSTANCE));
        bench.time.advance(OLD);

        Report report = sweep(false);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(report.examined()).isEqualTo(1);
        assertThat(enis()).hasSize(2);
    }

    @Test
    void whatSomebodyAttachesElsewhereBeforeItIsDeletedIsLeftToHim() {
        String left = leftBehind();
        bench.time.advance(OLD);
        bench.cloud.failNext(Call.DESCRIBE, "InternalError", 500);
        sweep(false);

        bench.cloud.attachNetworkInterface(left, "i-other");
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.cloud.calls(Call.DETACH)).isZero();
        assertThat(bench.cloud.all()).extracting(NetworkInterface::instanceId).containsExactly("i-other");
        assertThat(bench.states()).isEmpty();
        assertThat(bench.events.types()).contains("EniLost");
    }

    @Test
    void aCloudThatCannotBeReadFailsTheSweepWithTheReason() {
        leftBehind();
        bench.time.advance(OLD);
        bench.cloud.failNext(Call.LIST, "Throttling.User", 400);

        CompletableFuture<Report> swept = sweeping(false);

        assertThat(swept).isCompletedExceptionally();
        assertThat(swept.handle((report, failure) -> failure).join())
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.THROTTLED));
        assertThat(enis()).hasSize(1);
    }

    @Test
    void aSweepThatFailsIsTriedAgainWithoutWaitingForTheHour() {
        bench.factory().scheduleSweeps();
        bench.time.advance(Duration.ofMinutes(1));
        leftBehind();
        bench.cloud.failNext(Call.LIST, "Throttling.User", 400);

        bench.time.advance(Duration.ofMinutes(13));

        assertThat(enis()).isEmpty();
    }

    @Test
    void itRunsByItselfAWhileAfterTheStartAndThenEveryHourUntilTheEnd() {
        bench.factory().scheduleSweeps();
        bench.time.advance(Duration.ofMinutes(3));
        assertThat(bench.cloud.calls(Call.LIST)).isEqualTo(2);

        leftBehind();
        bench.time.advance(Duration.ofMinutes(62));
        assertThat(enis()).isEmpty();

        bench.factory().close();
        leftBehind();
        bench.time.advance(Duration.ofHours(3));
        assertThat(enis()).hasSize(1);
    }
}
