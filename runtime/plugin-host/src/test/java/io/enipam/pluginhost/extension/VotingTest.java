package io.enipam.pluginhost.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.pluginhost.extension.Voting.BallotView;
import io.enipam.pluginhost.extension.Voting.VoteView;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Part;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Tally;
import io.enipam.sdk.Vote;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT)
class VotingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private final BallotWorld world = new BallotWorld();

    @Test
    void aClaimIsAllocatedWhenAllRegisteredVotersHaveSaidYes() {
        world.voter("ports", claim -> {
            assertThat(claim.subject().labels()).containsEntry("service", "web \"1\"");
            assertThat(claim.wishes().parameters()).containsEntry("a", "b\n");
            return Vote.yes();
        });
        world.voter("licence", claim -> Vote.yes());
        world.enable("ports", "licence");
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED")));
        assertThat(world.tally("t1")).hasValueSatisfying(tally -> {
            assertThat(tally.votes().keySet()).containsExactly("licence", "ports");
            assertThat(tally.missing()).isEmpty();
        });
        world.cast("t1");
        world.crash();
        assertThat(world.told()).as("decided once").containsExactly(Map.entry("t1", "ALLOCATED"));
    }

    @Test
    void aClaimOnABallotWithoutVotersIsDecidedInTheTransactionThatCastsIt() {
        world.enable();
        world.cast("t1");
        assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED"));
        assertThat(world.tally("t1"))
                .hasValueSatisfying(tally -> assertThat(tally.state()).isEqualTo(Tally.State.ALLOCATED));
        world.withdraw("t1");
        world.cast("t1");
        assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED ALLOCATED"));
    }

    @Test
    void aClaimIsCastAlsoWhereTheCoordinatorDoesNotTakeItsDecisionThen() {
        world.enable();
        world.notTaken.add("t1");
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED")));
    }

    @Test
    void oneRefusalDecidesWhateverOthersSay() {
        AtomicInteger asked = new AtomicInteger();
        world.voter("ports", claim -> Vote.later(Duration.ofHours(1), "no port is free"));
        world.voter("licence", claim -> {
            asked.incrementAndGet();
            return Vote.no(ErrorKind.QUOTA_EXHAUSTED, "all 5 licences are taken");
        });
        world.enable("ports", "licence");
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "REFUSED")));
        assertThat(world.tally("t1").flatMap(Tally::refusal)).hasValueSatisfying(no -> {
            assertThat(no.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
            assertThat(no.why()).isEqualTo("all 5 licences are taken");
        });
        world.crash();
        assertThat(asked).hasValue(1);
    }

    @Test
    void aBallotWithoutVotersAllocatesAtOnce() {
        world.enable();
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED")));
    }

    @Test
    void aVoterThatIsEnabledAndCannotBeOpenedIsWaitedForUntilItIsRemoved() {
        world.voter("ports", claim -> Vote.yes());
        world.voter("licence", claim -> Vote.yes());
        world.broken("licence", true);
        world.enable("ports", "licence");
        world.cast("t1");
        eventually(() -> assertThat(world.tally("t1")).hasValueSatisfying(tally -> {
            assertThat(tally.state()).isEqualTo(Tally.State.WAITING);
            assertThat(tally.votes()).containsOnlyKeys("ports");
            assertThat(tally.missing()).containsOnlyKeys("licence");
            assertThat(tally.missing().get("licence")).contains("its server is down");
        }));
        assertThat(world.told()).isEmpty();
        world.enable("ports");
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED")));
    }

    @Test
    void anEnabledExtensionThatNoPluginHasMayBeAVoter() {
        world.enable("licence");
        world.cast("t1");
        eventually(() -> assertThat(world.tally("t1"))
                .hasValueSatisfying(tally ->
                        assertThat(tally.missing().get("licence")).contains("no plugin that is loaded has it")));
        world.voter("licence", claim -> Vote.yes());
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED")));
    }

    @Test
    void aVoterThatIsAddedBeforeTheDecisionIsWaitedForAndOneThatIsAddedAfterItIsNot() {
        AtomicReference<Vote> says = new AtomicReference<>(Vote.later(Duration.ofSeconds(1), "not yet"));
        world.voter("ports", claim -> says.get());
        world.voter("licence", claim -> Vote.no(ErrorKind.QUOTA_EXHAUSTED, "none is left"));
        world.enable("ports");
        world.cast("t1");
        eventually(() -> assertThat(world.taken("ports")).containsKey("t1"));
        world.enable("ports", "licence");
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "REFUSED")));
        world.enable("ports");
        says.set(Vote.yes());
        world.cast("t2");
        eventually(() -> assertThat(world.told()).containsEntry("t2", "ALLOCATED"));
        world.enable("ports", "licence");
        world.cast("t3");
        eventually(() -> assertThat(world.told()).containsEntry("t3", "REFUSED"));
        assertThat(world.told()).containsEntry("t2", "ALLOCATED");
        assertThat(world.taken("licence")).doesNotContainKey("t2");
    }

    @Test
    void aVoterThatThrowsAndThenHangsIsAskedAgain() {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch never = new CountDownLatch(1);
        world.voter("ports", claim -> {
            switch (calls.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("out of order");
                case 2 -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("interrupted", e);
                    }
                }
                default -> {}
            }
            return Vote.yes();
        });
        world.enable("ports");
        world.cast("t1");
        eventually(() -> assertThat(world.tally("t1"))
                .hasValueSatisfying(
                        tally -> assertThat(tally.missing().get("ports")).contains("out of order")));
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED")));
        assertThat(world.taken("ports")).as("one vote").containsEntry("t1", "Yes");
    }

    @Test
    void aVoteIsNotAskedForAgainAfterACrash() {
        AtomicInteger asked = new AtomicInteger();
        world.voter("ports", claim -> {
            asked.incrementAndGet();
            return Vote.yes();
        });
        world.voter("licence", claim -> Vote.yes());
        world.broken("licence", true);
        world.enable("ports", "licence");
        world.cast("t1");
        eventually(() -> assertThat(world.taken("ports")).containsEntry("t1", "Yes"));
        world.broken("licence", false);
        world.crash();
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED")));
        assertThat(asked).hasValue(1);
    }

    @Test
    void aWithdrawnClaimIsTakenBackByAllThatVotedAndCanBeCastAnew() {
        AtomicReference<Vote> says = new AtomicReference<>(Vote.yes());
        world.voter("ports", claim -> Vote.yes());
        world.voter("licence", claim -> says.get());
        world.enable("ports", "licence");
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsEntry("t1", "ALLOCATED"));
        world.withdraw("t1");
        eventually(() -> assertThat(world.taken("ports")).isEmpty());
        eventually(() -> assertThat(world.taken("licence")).isEmpty());
        assertThat(world.tally("t1")).isEmpty();
        says.set(Vote.no(ErrorKind.CONFLICT, "not again"));
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsEntry("t1", "ALLOCATED REFUSED"));
    }

    @Test
    void aClaimThatIsWithdrawnAndCastInOneCommitIsVotedOnAnew() {
        AtomicReference<Vote> says = new AtomicReference<>(Vote.yes());
        world.voter("ports", claim -> says.get());
        world.enable("ports");
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsEntry("t1", "ALLOCATED"));
        says.set(Vote.no(ErrorKind.CONFLICT, "not again"));
        world.commit(tx -> {
            tx.withdraw(BallotWorld.BALLOT, world.tally("t1").orElseThrow().claim());
            tx.cast(BallotWorld.BALLOT, BallotWorld.claim("t1"));
        });
        eventually(() -> assertThat(world.told()).containsEntry("t1", "ALLOCATED REFUSED"));
        assertThat(world.taken("ports")).as("the first vote was taken back").containsEntry("t1", "No");
    }

    @Test
    void aVoterThatDidNotRunIsToldOfAWithdrawalWhenItRunsAgain() {
        world.voter("ports", claim -> Vote.yes());
        world.enable("ports");
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsEntry("t1", "ALLOCATED"));
        world.enable();
        eventually(() -> assertThat(world.extensions().running("ports")).isEmpty());
        world.withdraw("t1");
        world.crash();
        assertThat(world.taken("ports")).containsKey("t1");
        world.enable("ports");
        eventually(() -> assertThat(world.taken("ports")).isEmpty());
    }

    @Test
    void aWithdrawalThatCannotBeWrittenIsShownAndTriedAgain() {
        world.voter("ports", claim -> Vote.yes());
        world.enable("ports");
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsEntry("t1", "ALLOCATED"));
        world.failing("ports", true);
        world.withdraw("t1");
        eventually(() -> assertThat(world.voting().all()).singleElement().satisfies(view -> {
            assertThat(view.state()).isEqualTo("WITHDRAWN");
            assertThat(view.missing()).extracting(VoteView::voter).containsExactly("ports");
        }));
        world.failing("ports", false);
        eventually(() -> assertThat(world.taken("ports")).isEmpty());
        eventually(() -> assertThat(world.voting().all()).isEmpty());
    }

    @Test
    void aWithdrawalIsShownNoMoreWhenItsCoordinatorIsClosedAndToldWhenThatIsOpened() {
        world.voter("ports", claim -> Vote.yes());
        world.enable("ports");
        world.cast("t1");
        eventually(() -> assertThat(world.told()).containsEntry("t1", "ALLOCATED"));
        world.failing("ports", true);
        world.withdraw("t1");
        eventually(() -> assertThat(world.voting().all()).isNotEmpty());
        world.extensions().configure(Set.of("ports"), plugin -> Settings.usual(List.of()));
        eventually(() -> assertThat(world.voting().all()).isEmpty());
        world.failing("ports", false);
        world.enable("ports");
        eventually(() -> assertThat(world.taken("ports")).isEmpty());
    }

    @Test
    void aDecisionThatTheCoordinatorCannotWriteIsToldLater() {
        world.voter("ports", claim -> Vote.later(Duration.ofSeconds(1), "not yet"));
        world.enable("ports");
        world.cast("t1");
        eventually(() -> assertThat(world.taken("ports")).containsKey("t1"));
        world.failing(BallotWorld.COORDINATOR, true);
        world.voter("ports", claim -> Vote.yes());
        eventually(() -> assertThat(world.tally("t1"))
                .hasValueSatisfying(tally ->
                        assertThat(tally.missing().get(BallotWorld.COORDINATOR)).contains("the disk is full")));
        world.failing(BallotWorld.COORDINATOR, false);
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED")));
    }

    @Test
    void aHostThatDoesNotLeadAsksNoVoterUntilItDoes() {
        AtomicInteger asked = new AtomicInteger();
        world.voter("ports", claim -> {
            asked.incrementAndGet();
            return Vote.yes();
        });
        world.lead(false);
        world.enable("ports");
        await().atMost(PATIENCE).until(() -> world.extensions().running("ports").isPresent());
        world.cast("t1");
        assertThat(asked).hasValue(0);
        assertThat(world.tally("t1"))
                .hasValueSatisfying(tally -> assertThat(tally.state()).isEqualTo(Tally.State.WAITING));
        world.lead(true);
        eventually(() -> assertThat(world.told()).containsExactly(Map.entry("t1", "ALLOCATED")));
    }

    @Test
    void anExtensionThatNamesABallotAndOpensNoVoterFails() {
        world.install("odd", BallotWorld.BALLOT, host -> new Part() {});
        world.enable("odd");
        eventually(() -> assertThat(world.extensions().view("odd"))
                .hasValueSatisfying(view -> assertThat(view.cause()).contains("what it opened is no Voter")));
    }

    @Test
    void manyClaimsAreDecidedWithoutARefusalForWantOfThreads() {
        world.voter("ports", claim -> Vote.yes());
        world.voter("licence", claim -> Vote.yes());
        world.enable("ports", "licence");
        for (int i = 0; i < 500; i++) {
            world.cast("t" + i);
        }
        eventually(() -> assertThat(world.told()).hasSize(500));
        assertThat(world.voting().all())
                .allSatisfy(view -> assertThat(view.state()).isEqualTo("ALLOCATED"))
                .extracting(BallotView::extension)
                .containsOnly(BallotWorld.COORDINATOR);
    }

    private void castTogether(int claims) {
        world.commit(tx ->
                IntStream.range(0, claims).forEach(i -> tx.cast(BallotWorld.BALLOT, BallotWorld.claim("t" + i))));
    }

    @Test
    void claimsThatWaitForAVoterAreVotedOnInFewTransactions() {
        CountDownLatch allAsked = new CountDownLatch(1);
        world.voter("ports", claim -> {
            hold(allAsked);
            return Vote.yes();
        });
        world.enable("ports");
        castTogether(600);
        eventually(() -> assertThat(world.voting().all())
                .hasSize(600)
                .allSatisfy(view -> assertThat(view.missing()).hasSize(1)));
        allAsked.countDown();
        eventually(() -> assertThat(world.told()).hasSize(600));
        assertThat(world.commits("ports")).isLessThan(600);
        world.commit(tx -> IntStream.range(0, 600).forEach(i -> tx.withdraw(BallotWorld.BALLOT, new ClaimId("t" + i))));
        eventually(() -> assertThat(world.taken("ports")).isEmpty());
    }

    private static void hold(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aClaimOnWhichAVoterFailsOrHangsHoldsUpNoOther() {
        CountDownLatch wakesUp = new CountDownLatch(1);
        AtomicBoolean healthy = new AtomicBoolean();
        world.voter("ports", claim -> {
            if (claim.id().text().equals("t7") && !healthy.get()) {
                throw new IllegalStateException("not this one");
            } else if (claim.id().text().equals("t8")) {
                hold(wakesUp);
            }
            return Vote.yes();
        });
        world.enable("ports");
        castTogether(100);
        eventually(() -> assertThat(world.told()).hasSize(98).doesNotContainKeys("t7", "t8"));
        healthy.set(true);
        wakesUp.countDown();
        eventually(() -> assertThat(world.told())
                .hasSize(100)
                .allSatisfy((claim, told) -> assertThat(told).isEqualTo("ALLOCATED")));
    }

    @Test
    void claimsThatAreDecidedTogetherAreDecidedOnceWhenTheProcessEndsInBetween() {
        world.voter("ports", claim -> Vote.yes());
        world.voter("licence", claim -> Vote.yes());
        world.enable("ports", "licence");
        castTogether(400);
        for (String voter : List.of("ports", "licence")) {
            eventually(() -> assertThat(world.taken(voter)).isNotEmpty());
            world.crash();
        }
        eventually(() -> assertThat(world.told()).isNotEmpty());
        world.crash();
        eventually(() -> assertThat(world.told())
                .hasSize(400)
                .allSatisfy((claim, told) -> assertThat(told).isEqualTo("ALLOCATED")));
        assertThat(world.taken("ports"))
                .hasSize(400)
                .allSatisfy((claim, votes) -> assertThat(votes).isEqualTo("Yes"));
    }

    /** Claims come and go, voters die, are removed and added, disks fill up, and the process ends at any moment. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void noClaimIsLostOrDecidedTwiceWhateverHappens(long seed) throws InterruptedException {
        Random random = new Random(seed);
        Set<String> all = Set.of("ports", "licence", "zone");
        Map<String, Random> choices = Map.of("ports", new Random(seed + 1), "licence", new Random(seed + 2));
        AtomicReference<Boolean> healthy = new AtomicReference<>(false);
        for (String voter : all) {
            world.voter(voter, claim -> voted(voter, healthy.get(), choices.getOrDefault(voter, new Random(seed))));
        }
        world.enable("ports", "licence", "zone");
        Set<String> cast = new TreeSet<>();
        for (int step = 0; step < 60; step++) {
            String claim = "t" + random.nextInt(8);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    world.cast(claim);
                    cast.add(claim);
                }
                case 3 -> {
                    world.withdraw(claim);
                    cast.remove(claim);
                }
                case 4 -> world.crash();
                case 5 ->
                    world.enable(
                            all.stream().filter(voter -> random.nextBoolean()).toArray(String[]::new));
                case 6 -> world.failing(random.nextBoolean() ? "ports" : "licence", random.nextBoolean());
                default -> Thread.sleep(random.nextInt(20));
            }
        }
        healthy.set(true);
        all.forEach(voter -> world.failing(voter, false));
        world.enable("ports", "licence", "zone");
        eventually(() -> {
            assertThat(world.voting().all())
                    .as("seed %s", seed)
                    .extracting(view -> view.claim().text())
                    .containsExactlyInAnyOrderElementsOf(cast);
            assertThat(world.voting().all()).noneMatch(view -> view.state().equals("WAITING"));
            for (String voter : all) {
                assertThat(cast)
                        .as("what %s holds with seed %s", voter, seed)
                        .containsAll(world.taken(voter).keySet());
            }
        });
        Map<String, String> told = world.told();
        cast.forEach(claim -> assertThat(told).containsKey(claim));
        world.voting().all().stream()
                .filter(view -> view.state().equals("ALLOCATED"))
                .forEach(view -> view.votes()
                        .forEach(vote -> assertThat(world.taken(vote.voter()))
                                .as("the votes of %s with seed %s", view.claim(), seed)
                                .hasEntrySatisfying(
                                        view.claim().text(),
                                        votes -> assertThat(votes).endsWith("Yes"))));
    }

    private static Vote voted(String voter, boolean healthy, Random random) {
        synchronized (random) {
            int choice = healthy ? 9 : random.nextInt(10);
            return switch (choice) {
                case 0 -> throw new IllegalStateException(voter + " is out of order");
                case 1 -> Vote.later(Duration.ofMillis(200), "not yet");
                case 2 -> Vote.no(ErrorKind.CONFLICT, "never");
                default -> Vote.yes();
            };
        }
    }

    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(PATIENCE).untilAsserted(assertion);
    }
}
