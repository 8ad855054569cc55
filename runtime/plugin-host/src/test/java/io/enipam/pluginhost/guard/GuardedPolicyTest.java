package io.enipam.pluginhost.guard;

import static io.enipam.pluginhost.guard.GuardFixture.DEADLINE;
import static io.enipam.pluginhost.guard.GuardFixture.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.PolicyPort;
import io.enipam.platform.EngineThread;
import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import io.enipam.pluginhost.guard.PluginGuard.PluginHealth;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PoolPolicy;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedPolicyTest {
    /** Far above the deadline, for a busy machine's sake, and far below what a hanging policy takes. */
    private static final Duration SOON = Duration.ofSeconds(60);

    private static final Duration WHILE = Duration.ofSeconds(60);

    private final GuardFixture guarded = new GuardFixture();
    private final PolicyPort policy = guarded.policy();
    /** For policies that are late. */
    private final GuardFixture hasty = new GuardFixture(GuardFixture.HASTY);

    private final PolicyPort late = hasty.policy();
    /** Ends what loops for ever, when the test is over. */
    private final AtomicBoolean over = new AtomicBoolean();

    @AfterEach
    void close() {
        over.set(true);
        guarded.close();
        hasty.close();
    }

    @Test
    void aGoodAnswerComesOnTheAskersOwnThreadBeforeAskReturns() throws Exception {
        CompletableFuture<List<String>> story = new CompletableFuture<>();
        guarded.engine.execute(() -> {
            List<String> steps = new ArrayList<>();
            String here = Thread.currentThread().getName();
            policy.ask(
                    "pick",
                    asked -> {
                        steps.add("asked on " + Thread.currentThread().getName());
                        return GuardFixture.good(asked);
                    },
                    pick -> true,
                    answer -> steps.add("told " + answer.isPresent() + " on "
                            + Thread.currentThread().getName()));
            steps.add("returned on " + here);
            story.complete(steps);
        });

        List<String> steps = get(story);
        String thread = steps.get(2).substring("returned on ".length());
        assertThat(thread).startsWith("engine-");
        assertThat(steps).containsExactly("asked on " + thread, "told true on " + thread, "returned on " + thread);
        assertThat(policy.watermarks()).isFalse();
        assertThat(guarded.guard.counters()).isEqualTo(new PluginCallCounts(1, 0, 0, 0, 0, 0, BreakerState.CLOSED));
    }

    @Test
    void aThreadThatMayNotBeLostIsNotLentButToldItsAnswerAllTheSame() {
        AtomicReference<Thread> asked = new AtomicReference<>();
        AtomicReference<Thread> told = new AtomicReference<>();
        policy.ask(
                "pick",
                p -> {
                    asked.set(Thread.currentThread());
                    return GuardFixture.good(p);
                },
                pick -> true,
                answer -> told.set(answer.isPresent() ? Thread.currentThread() : null));

        assertThat(asked.get().getName()).startsWith("plugin-chaos-");
        assertThat(told.get()).isSameAs(Thread.currentThread());
    }

    @Test
    void aThreadThatMayNotBeLostWaitsNoLongerThanTheDeadlineForAPolicyThatHangs() {
        AtomicReference<Optional<Pick>> told = new AtomicReference<>();
        long began = System.nanoTime();
        late.ask("pick", p -> hang(), pick -> true, told::set);

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(DEADLINE, SOON);
        assertThat(told.get()).isEmpty();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        await().atMost(WHILE).until(() -> hasty.guard.counters().overdue() == 0);
    }

    @Test
    void anInterruptOfTheWaitersIsKeptForHim() {
        Thread.currentThread().interrupt();
        AtomicReference<Optional<Pick>> told = new AtomicReference<>();
        policy.ask("pick", GuardFixture::good, pick -> true, told::set);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(told.get()).isPresent();
    }

    @Test
    void aPolicyThatHangsIsAnsweredForInTimeAndItsThreadComesBackClean() throws Exception {
        AtomicReference<Thread> lent = new AtomicReference<>();
        AtomicBoolean stray = new AtomicBoolean(true);
        CompletableFuture<String> after = new CompletableFuture<>();
        AtomicInteger told = new AtomicInteger();
        CompletableFuture<Thread> teller = new CompletableFuture<>();
        long began = System.nanoTime();
        hasty.engine.execute(() -> {
            lent.set(Thread.currentThread());
            late.ask("pick", p -> hang(), pick -> true, answer -> {
                told.incrementAndGet();
                teller.complete(Thread.currentThread());
            });
            stray.set(Thread.currentThread().isInterrupted());
            after.complete("returned");
        });

        assertThat(get(teller)).isNotSameAs(lent.get()).isInstanceOf(EngineThread.class);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(DEADLINE, SOON);
        assertThat(get(after)).isEqualTo("returned");
        assertThat(stray).isFalse();
        assertThat(told).hasValue(1);
        assertThat(hasty.guard.counters().late()).isEqualTo(1);
        assertThat(hasty.guard.counters().overdue()).isZero();
    }

    @Test
    void twoEndlessLoopsCostTwoThreadsButNobodysTime() throws Exception {
        CountDownLatch inside = new CountDownLatch(2);
        Function<PoolPolicy, Pick> forEver = p -> {
            inside.countDown();
            return loop();
        };
        long began = System.nanoTime();
        CompletableFuture<Optional<Pick>> first = hasty.ask(late, forEver);
        CompletableFuture<Optional<Pick>> second = hasty.ask(late, forEver);
        assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> stranger = CompletableFuture.runAsync(() -> {}, hasty.engine);

        assertThat(get(first)).isEmpty();
        assertThat(get(second)).isEmpty();
        get(stranger);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON.multipliedBy(2));

        assertThat(late.watermarks()).isTrue();
        for (int i = 0; i < 100; i++) {
            assertThat(get(hasty.ask(late, forEver))).isEmpty();
        }
        PluginCallCounts counters = hasty.guard.counters();
        assertThat(counters.made()).isEqualTo(2);
        assertThat(counters.overdue()).isEqualTo(2);
        assertThat(counters.skipped()).isEqualTo(100);
        await().atMost(WHILE)
                .untilAsserted(() -> assertThat(hasty.guard.health().cause())
                        .matches("policy chaos: pick has not answered for \\d+ (ms|s) \\(thread engine-[12]\\)"));
        assertThat(hasty.guard.health().state()).isEqualTo(PluginHealth.State.DEGRADED);

        over.set(true);
        await().atMost(WHILE).until(() -> hasty.guard.health().state() == PluginHealth.State.HEALTHY);
        assertThat(late.watermarks()).isFalse();
        await().atMost(WHILE)
                .untilAsserted(() -> assertThat(hasty.changes)
                        .extracting(PluginHealth::state)
                        .containsExactly(PluginHealth.State.DEGRADED, PluginHealth.State.HEALTHY));
    }

    @Test
    void anotherPluginIsNotDelayedByOneThatLoops() throws Exception {
        hasty.ask(late, p -> loop());
        for (int i = 0; i < 1000; i++) {
            assertThat(get(GuardFixture.ask(hasty.engine, policy, GuardFixture::good)))
                    .isPresent();
        }
        assertThat(guarded.guard.counters().late()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                IllegalStateException.class,
                NoClassDefFoundError.class,
                StackOverflowError.class,
                AssertionError.class,
                OutOfMemoryError.class,
                ThreadDeath.class,
                InternalError.class,
                Mute.class,
                Sneaky.class
            })
    void whateverAPolicyThrowsIsContainedAndCounted(Class<? extends Throwable> type) throws Exception {
        Throwable thrown = type.getDeclaredConstructor().newInstance();
        assertThat(get(guarded.ask(policy, p -> {
                    throw GuardedPolicyTest.<RuntimeException>sneak(thrown);
                })))
                .isEmpty();
        await().atMost(WHILE).until(() -> guarded.guard.counters().failed() == 1);
        assertThat(guarded.guard.health().state()).isEqualTo(PluginHealth.State.HEALTHY);
    }

    @Test
    void aPolicyThatCallsItselfForEverIsContained() throws Exception {
        assertThat(get(guarded.ask(policy, p -> deep(0)))).isEmpty();
        assertThat(get(guarded.ask(policy, GuardFixture::good))).isPresent();
    }

    @Test
    void nullsAndNonsenseAreRejectedEvenIfTheCheckStumblesOverThem() throws Exception {
        assertThat(get(guarded.ask(policy, p -> null))).isEmpty();
        assertThat(get(GuardFixture.ask(guarded.engine, policy, GuardFixture::good, pick -> false)))
                .isEmpty();
        assertThat(get(GuardFixture.ask(guarded.engine, policy, GuardFixture::good, pick -> {
                    throw new IllegalStateException("null in it");
                })))
                .isEmpty();
        await().atMost(WHILE).until(() -> guarded.guard.counters().rejected() == 3);
        assertThat(guarded.guard.counters().breaker()).isEqualTo(BreakerState.OPEN);
        assertThat(guarded.guard.health().cause()).contains("policy chaos: 3 of the last 4 calls failed");
    }

    @Test
    void anOpenBreakerLetsNoCallThroughWhileItsPauseLasts() throws Exception {
        for (int i = 0; i < 3; i++) {
            get(guarded.ask(policy, p -> null));
        }
        await().atMost(WHILE).until(policy::watermarks);
        AtomicInteger asked = new AtomicInteger();
        get(guarded.ask(policy, p -> {
            asked.incrementAndGet();
            return GuardFixture.good(p);
        }));
        assertThat(asked).hasValue(0);
        assertThat(guarded.guard.counters().skipped()).isEqualTo(1);
    }

    @Test
    void afterItsPauseTheBreakerLetsOneCallTryAndAGoodOneClosesIt() throws Exception {
        try (GuardFixture brief = new GuardFixture(GuardFixture.shortPause())) {
            PolicyPort port = brief.policy();
            for (int i = 0; i < 3; i++) {
                get(brief.ask(port, p -> null));
            }
            await().atMost(WHILE).until(() -> brief.guard.counters().breaker() == BreakerState.OPEN);
            await().atMost(WHILE).until(() -> !port.watermarks());
            CountDownLatch trying = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            CompletableFuture<Optional<Pick>> trial = brief.ask(port, p -> {
                trying.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return GuardFixture.good(p);
            });
            assertThat(trying.await(60, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Optional<Pick>> meanwhile = brief.ask(port, GuardFixture::good);
            assertThat(get(meanwhile)).isEmpty();
            go.countDown();
            assertThat(get(trial)).isPresent();
            await().atMost(WHILE).until(() -> brief.guard.counters().breaker() == BreakerState.CLOSED);
            await().atMost(WHILE)
                    .untilAsserted(() -> assertThat(brief.changes)
                            .extracting(PluginHealth::state)
                            .containsExactly(PluginHealth.State.DEGRADED, PluginHealth.State.HEALTHY));
        }
    }

    @Test
    void aBrokenPolicyThatIsPutAwayHasNotRecovered() throws Exception {
        for (int i = 0; i < 3; i++) {
            get(guarded.ask(policy, p -> null));
        }
        await().atMost(WHILE).until(() -> guarded.changes.size() == 1);

        guarded.guard.release(policy);

        assertThat(guarded.guard.health().state()).isEqualTo(PluginHealth.State.HEALTHY);
        CountDownLatch later = new CountDownLatch(1);
        guarded.engine.execute(later::countDown);
        assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(guarded.changes).extracting(PluginHealth::state).containsExactly(PluginHealth.State.DEGRADED);
    }

    @Test
    void aContinuationThatThrowsIsNotThePluginsFault() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        guarded.engine.execute(() -> {
            try {
                policy.ask("pick", GuardFixture::good, pick -> true, answer -> {
                    throw new IllegalStateException("the engine's own");
                });
            } catch (IllegalStateException e) {
                thrown.complete(e);
            }
        });

        assertThat(get(thrown)).hasMessage("the engine's own");
        assertThat(guarded.guard.counters()).isEqualTo(new PluginCallCounts(1, 0, 0, 0, 0, 0, BreakerState.CLOSED));
        assertThat(get(guarded.ask(policy, GuardFixture::good))).isPresent();
    }

    @Test
    void aContinuationMayAskAgain() throws Exception {
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        guarded.engine.execute(() -> policy.ask(
                "pick",
                GuardFixture::good,
                pick -> true,
                first -> policy.ask(
                        "target", GuardFixture::good, pick -> true, answer -> second.complete(answer.isPresent()))));
        assertThat(get(second)).isTrue();
    }

    @Test
    void aPolicyThatAsksItselfThroughTheEngineGetsNoAnswerButItsCallEnds() throws Exception {
        AtomicReference<Optional<Pick>> inner = new AtomicReference<>();
        Function<PoolPolicy, Pick> circular = p -> {
            policy.ask("pick", GuardFixture::good, pick -> true, inner::set);
            return GuardFixture.good(p);
        };
        assertThat(get(guarded.ask(policy, circular))).isPresent();
        assertThat(inner.getAndSet(null)).isEmpty();

        policy.ask("pick", circular, pick -> true, answer -> assertThat(answer).isPresent());
        assertThat(inner.get()).isEmpty();
        assertThat(guarded.guard.counters().skipped()).isEqualTo(2);
    }

    @Test
    void anInterruptAndAClassLoaderThatAPolicyLeavesBehindAreGone() throws Exception {
        ClassLoader plugins = new URLClassLoader(new URL[0]);
        try (GuardFixture mine = new GuardFixture(GuardFixture.LIMITS, plugins)) {
            PolicyPort port = mine.policy();
            CompletableFuture<List<Object>> seen = new CompletableFuture<>();
            mine.engine.execute(() -> {
                List<Object> facts = new ArrayList<>();
                ClassLoader before = Thread.currentThread().getContextClassLoader();
                port.ask(
                        "pick",
                        p -> {
                            facts.add(Thread.currentThread().getContextClassLoader() == plugins);
                            Thread.currentThread().setContextClassLoader(null);
                            Thread.currentThread().interrupt();
                            throw new IllegalStateException();
                        },
                        pick -> true,
                        answer -> {
                            facts.add(Thread.currentThread().getContextClassLoader() == before);
                            facts.add(Thread.currentThread().isInterrupted());
                        });
                seen.complete(facts);
            });
            assertThat(get(seen)).containsExactly(true, true, false);
        }
    }

    @Test
    void noMoreAreInsideAtOneTimeThanThereArePlaces() throws Exception {
        try (GuardFixture narrow = new GuardFixture(GuardFixture.limits(2))) {
            PolicyPort port = narrow.policy();
            CyclicBarrier full = new CyclicBarrier(3);
            CountDownLatch leave = new CountDownLatch(1);
            List<Thread> askers = new ArrayList<>();
            Set<Optional<Pick>> answers = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < 2; i++) {
                Thread asker = new EngineThread(
                        () -> port.ask(
                                "pick",
                                p -> {
                                    try {
                                        full.await();
                                        leave.await();
                                    } catch (Exception e) {
                                        throw new IllegalStateException(e);
                                    }
                                    return GuardFixture.good(p);
                                },
                                pick -> true,
                                answers::add),
                        "asker-" + i);
                asker.start();
                askers.add(asker);
            }
            full.await(60, TimeUnit.SECONDS);
            AtomicReference<Optional<Pick>> third = new AtomicReference<>();
            port.ask("pick", GuardFixture::good, pick -> true, third::set);
            leave.countDown();
            for (Thread asker : askers) {
                asker.join(60_000);
            }

            assertThat(third.get()).isEmpty();
            assertThat(narrow.guard.counters().skipped()).isEqualTo(1);
            AtomicReference<Optional<Pick>> fourth = new AtomicReference<>();
            port.ask("pick", GuardFixture::good, pick -> true, fourth::set);
            assertThat(fourth.get()).isPresent();
        }
    }

    @Test
    void eightThreadsThatHangAtOnceAreAllAnsweredForInTime() throws Exception {
        CyclicBarrier together = new CyclicBarrier(8);
        List<CompletableFuture<Duration>> waits = new ArrayList<>();
        List<Thread> askers = new ArrayList<>();
        AtomicInteger told = new AtomicInteger();
        for (int i = 0; i < 8; i++) {
            CompletableFuture<Duration> waited = new CompletableFuture<>();
            waits.add(waited);
            Thread asker = new EngineThread(
                    () -> {
                        meet(together);
                        long began = System.nanoTime();
                        late.ask("pick", p -> hang(), pick -> true, answer -> {
                            told.incrementAndGet();
                            waited.complete(Duration.ofNanos(System.nanoTime() - began));
                        });
                    },
                    "asker-" + i);
            asker.start();
            askers.add(asker);
        }
        for (CompletableFuture<Duration> waited : waits) {
            assertThat(get(waited)).isLessThan(SOON);
        }
        for (Thread asker : askers) {
            asker.join(60_000);
            assertThat(asker.isAlive()).isFalse();
        }
        assertThat(told).hasValue(8);
        PluginCallCounts counters = hasty.guard.counters();
        assertThat(counters.late() + counters.skipped())
                .as("one that a busy machine holds up may find the breaker open")
                .isEqualTo(8);
        assertThat(counters.overdue()).isZero();
        assertThat(counters.breaker()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void theWatchdogComesBackAfterItWasPutAway() throws Exception {
        Set<Thread> others = watchdogs();
        get(hasty.ask(late, GuardFixture::good));
        await("the watchdog's thread is put away")
                .atMost(WHILE.multipliedBy(3))
                .until(() -> others.containsAll(watchdogs()));
        assertThat(get(hasty.ask(late, p -> hang()))).isEmpty();
    }

    private static Set<Thread> watchdogs() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("guard-chaos-watch"))
                .collect(Collectors.toSet());
    }

    @Test
    void aClosedGuardAsksNothingAndAnswersAtOnce() {
        guarded.guard.close();
        assertThat(policy.watermarks()).isTrue();
        AtomicReference<Optional<Pick>> told = new AtomicReference<>();
        policy.ask("pick", GuardFixture::good, pick -> true, told::set);
        assertThat(told.get()).isEmpty();
    }

    @Test
    void aHugeMessageIsCutAndKeptOnOneLine() throws Exception {
        for (int i = 0; i < 3; i++) {
            get(guarded.ask(policy, p -> {
                throw new IllegalStateException("\u001b[31m\n" + "x".repeat(1_000_000));
            }));
        }
        await().atMost(WHILE).until(() -> guarded.guard.counters().breaker() == BreakerState.OPEN);
        assertThat(guarded.guard.health().cause()).hasSizeLessThan(600).doesNotContain("\n", "\u001b");
    }

    @Test
    void aLimitOfZeroIsNoLimit() {
        assertThatThrownBy(() -> new GuardLimits(
                        Duration.ZERO, DEADLINE, DEADLINE, DEADLINE, 8, 1, GuardLimits.DEFAULT.breaker()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("policyDeadline");
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Until the guard interrupts it. */
    private static Pick hang() {
        try {
            Thread.sleep(600_000);
            return Pick.longestIdle();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Deaf to interrupts. */
    private Pick loop() {
        while (!over.get()) {
            Thread.onSpinWait();
        }
        return Pick.longestIdle();
    }

    private static Pick deep(int depth) {
        return depth < 0 ? Pick.longestIdle() : deep(depth + 1);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E sneak(Throwable any) throws E {
        throw (E) any;
    }

    static final class Sneaky extends Exception {}

    @SuppressWarnings("OverrideThrowableToString") // the guard asks toString
    static final class Mute extends RuntimeException {
        @Override
        public String toString() {
            throw new IllegalStateException("not even that");
        }
    }
}
