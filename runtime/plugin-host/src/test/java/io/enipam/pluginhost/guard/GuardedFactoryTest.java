package io.enipam.pluginhost.guard;

import static com.google.common.util.concurrent.Uninterruptibles.awaitUninterruptibly;
import static io.enipam.pluginhost.guard.StubFactory.requests;
import static io.enipam.pluginhost.guard.StubFactory.resource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.platform.EngineThread;
import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import io.enipam.pluginhost.guard.PluginGuard.PluginHealth;
import io.enipam.pluginhost.guard.PluginThreads.PluginThread;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedFactoryTest {
    private static final Duration WHILE = Duration.ofSeconds(60);

    private final GuardFixture guarded = new GuardFixture();
    /** For factories that are late. */
    private final GuardFixture hasty = new GuardFixture(GuardFixture.HASTY);

    private final CountDownLatch over = new CountDownLatch(1);

    @AfterEach
    void close() {
        over.countDown();
        guarded.close();
        hasty.close();
    }

    @Test
    void itemsAreMadeOnThePluginsThreadsAndToldOnTheEngines() throws Exception {
        AtomicReference<Thread> made = new AtomicReference<>();
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            CompletionStage<CreateResult> create(CreateRequest request) {
                made.set(Thread.currentThread());
                CompletableFuture<CreateResult> slow = new CompletableFuture<>();
                new Thread(() -> slow.complete(new Created(resource("slow")))).start();
                return slow;
            }
        });

        CompletableFuture<Thread> told = new CompletableFuture<>();
        CompletionStage<CreateResult> item = factory.create(requests(1)).get(0);
        item.whenComplete((result, error) -> told.complete(Thread.currentThread()));

        assertThat(get(item)).isEqualTo(new Created(resource("slow")));
        assertThat(made.get().getName()).startsWith("plugin-chaos-");
        assertThat(GuardFixture.get(told)).isNotInstanceOf(PluginThread.class);
        assertThat(get(factory.dispose(List.of(resource("a"))).get(0)))
                .isEqualTo(new Disposed(resource("a").id()));
        assertThat(get(factory.list())).containsExactly(resource("a"), resource("b"));
        assertThat(factory.kind()).isEqualTo(StubFactory.KIND);
        assertThat(factory.capabilities().capacity()).isEqualTo(100);
    }

    @Test
    void aContinuationThatIsSlowHoldsNoThreadOfThePlugins() throws Exception {
        CompletableFuture<CreateResult> stage = new CompletableFuture<>();
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            CompletionStage<CreateResult> create(CreateRequest request) {
                return stage;
            }
        });
        CompletionStage<CreateResult> item = factory.create(requests(1)).get(0);
        CountDownLatch slow = new CountDownLatch(1);
        CompletableFuture<Thread> told = new CompletableFuture<>();
        item.thenRun(() -> {
            told.complete(Thread.currentThread());
            awaitUninterruptibly(slow);
        });
        await().atMost(WHILE).until(() -> stage.getNumberOfDependents() == 1);
        stage.complete(new Created(resource("x")));

        assertThat(GuardFixture.get(told)).isInstanceOf(EngineThread.class);
        slow.countDown();
    }

    @Test
    void aCreateThatHangsIsInterruptedAndCountedButWhatItMakesLateStillArrives() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        ResourceFactory factory = guard(hasty, new StubFactory() {
            @Override
            public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
                awaitUninterruptibly(go);
                return super.create(requests);
            }
        });

        long began = System.nanoTime();
        CompletableFuture<CreateResult> item =
                factory.create(requests(1)).get(0).toCompletableFuture();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(WHILE);
        assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
        await().atMost(WHILE)
                .untilAsserted(
                        () -> assertThat(hasty.guard.health().cause())
                                .matches(
                                        "factory chaos: create has not returned for \\d+ (ms|s) \\(thread plugin-chaos-\\d+\\)"));
        assertThat(item).isNotDone();
        assertThat(hasty.guard.counters().late()).isEqualTo(1);
        assertThat(hasty.guard.counters().overdue()).isEqualTo(1);
        assertThat(get(factory.dispose(List.of(resource("a"))).get(0))).isInstanceOf(Disposed.class);

        go.countDown();
        assertThat(get(item)).isEqualTo(new Created(resource("t0")));
        await().atMost(WHILE).until(() -> hasty.guard.health().state() == PluginHealth.State.HEALTHY);
    }

    @Test
    void whileHungCallsHoldAllThreadsWhatWaitsAndWhatComesIsRefused() throws Exception {
        try (GuardFixture narrow = new GuardFixture(GuardFixture.hasty(2))) {
            ResourceFactory factory = narrow.guard.factory(
                    new StubFactory() {
                        @Override
                        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                            loop();
                            return super.create(requests);
                        }
                    },
                    "chaos");
            CompletionStage<CreateResult> first = factory.create(requests(1)).get(0);
            CompletionStage<CreateResult> second = factory.create(requests(1)).get(0);
            CompletionStage<CreateResult> waits = factory.create(requests(1)).get(0);

            Failed refused = (Failed) get(waits);
            assertThat(refused.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
            assertThat(refused.message())
                    .startsWith("plugin chaos: factory chaos is not asked: create has not returned for ");
            assertThat(refused.retryAfter()).isPositive();

            CompletionStage<DisposeResult> comes =
                    factory.dispose(List.of(resource("a"))).get(0);
            assertThat(comes.toCompletableFuture()).isDone();
            assertThat(get(comes)).isInstanceOf(Failed.class);
            assertThat(first.toCompletableFuture()).isNotDone();
            assertThat(second.toCompletableFuture()).isNotDone();
            assertThat(narrow.guard.counters().overdue()).isEqualTo(2);

            over.countDown();
            assertThat(get(first)).isInstanceOf(Created.class);
            await().atMost(WHILE).until(() -> narrow.guard.counters().overdue() == 0);
            assertThat(get(factory.dispose(List.of(resource("a"))).get(0))).isInstanceOf(Disposed.class);
        }
    }

    @Test
    void moreThanCanWaitIsRefusedAtOnce() throws Exception {
        try (GuardFixture narrow = new GuardFixture(GuardFixture.limits(1))) {
            ResourceFactory factory = narrow.guard.factory(
                    new StubFactory() {
                        @Override
                        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                            awaitUninterruptibly(over);
                            return super.create(requests);
                        }
                    },
                    "chaos");
            List<CompletionStage<CreateResult>> items = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                items.add(factory.create(requests(1)).get(0));
            }
            assertThat(((Failed) get(items.get(6))).message()).contains("too many calls wait for its 1 threads");
            over.countDown();
            for (int i = 0; i < 4; i++) {
                assertThat(get(items.get(i))).isInstanceOf(Created.class);
            }
        }
    }

    static Stream<Supplier<List<CompletionStage<CreateResult>>>> wrongAnswers() {
        return Stream.of(
                () -> null,
                List::of,
                () -> List.of(created("a"), created("b"), created("c")),
                () -> Arrays.asList(null, null),
                () -> List.of(CompletableFuture.completedStage(null), CompletableFuture.completedStage(null)),
                () -> List.of(
                        CompletableFuture.completedStage(new Created(null)),
                        CompletableFuture.completedStage(new Created(null))),
                () -> List.of(
                        CompletableFuture.completedStage(new Failed(null, null, Duration.ZERO)),
                        CompletableFuture.completedStage(new Failed(null, null, Duration.ZERO))),
                () -> List.of(
                        CompletableFuture.failedStage(new IllegalStateException("boom")),
                        CompletableFuture.failedStage(new StackOverflowError())),
                () -> raw(List.of(CompletableFuture.completedStage("text"), CompletableFuture.completedStage(42))),
                () -> raw(List.of("text", 42)),
                () -> {
                    throw new NoClassDefFoundError("gone");
                },
                () -> {
                    throw new OutOfMemoryError("says the plugin");
                });
    }

    @ParameterizedTest
    @MethodSource("wrongAnswers")
    void aBatchOfTheWrongShapeIsABugOfThePlugins(Supplier<List<CompletionStage<CreateResult>>> answer)
            throws Exception {
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                return answer.get();
            }
        });
        for (CompletionStage<CreateResult> item : factory.create(requests(2))) {
            Failed failed = (Failed) get(item);
            assertThat(failed.kind()).isEqualTo(ErrorKind.INTERNAL);
            assertThat(failed.message()).contains("plugin chaos: create");
        }
        await().atMost(WHILE).until(() -> {
            PluginCallCounts counters = guarded.guard.counters();
            return counters.failed() + counters.rejected() > 0;
        });
        assertThat(get(factory.dispose(List.of(resource("a"))).get(0))).isInstanceOf(Disposed.class);
    }

    @Test
    void oneBadItemLeavesTheOthersAlone() throws Exception {
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                return raw(Arrays.asList(
                        created("a"),
                        null,
                        CompletableFuture.failedStage(new FactoryException(ErrorKind.QUOTA_EXHAUSTED, "no more")),
                        "no stage"));
            }
        });
        List<CompletionStage<CreateResult>> items = factory.create(requests(4));
        assertThat(((Failed) get(items.get(3))).kind()).isEqualTo(ErrorKind.INTERNAL);
        assertThat(get(items.get(0))).isEqualTo(new Created(resource("a")));
        assertThat(((Failed) get(items.get(1))).kind()).isEqualTo(ErrorKind.INTERNAL);
        assertThat(get(items.get(2)))
                .isEqualTo(Failed.of(ErrorKind.QUOTA_EXHAUSTED, "plugin chaos: create of chaos: no more"));
    }

    @Test
    void aFailureKeepsItsKindAndItsPauseAndLosesWhatIsNotFitToBeShown() throws Exception {
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            CompletionStage<CreateResult> create(CreateRequest request) {
                return CompletableFuture.completedStage(new Failed(
                        ErrorKind.THROTTLED, "\u001b[2J\r\nslow" + "x".repeat(1_000_000), Duration.ofSeconds(3)));
            }
        });
        Failed failed = (Failed) get(factory.create(requests(1)).get(0));
        assertThat(failed.kind()).isEqualTo(ErrorKind.THROTTLED);
        assertThat(failed.retryAfter()).isEqualTo(Duration.ofSeconds(3));
        assertThat(failed.message()).hasSize(500).doesNotContain("\u001b", "\r", "\n");
    }

    @Test
    void aStageThatTellsTwiceIsHeardOnce() throws Exception {
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            CompletionStage<CreateResult> create(CreateRequest request) {
                return new Stammering();
            }
        });
        CompletionStage<CreateResult> item = factory.create(requests(1)).get(0);
        assertThat(get(item)).isEqualTo(new Created(resource("first")));
        await().atMost(WHILE).until(() -> guarded.guard.counters().rejected() == 1);
    }

    @Test
    void aStageThatIsNeverCompletedCostsNothingButItsItem() throws Exception {
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                return requests.size() == 1
                        ? super.create(requests)
                        : requests.stream()
                                .<CompletionStage<CreateResult>>map(request -> new CompletableFuture<>())
                                .toList();
            }
        });
        List<CompletionStage<CreateResult>> never = factory.create(requests(100));
        assertThat(get(factory.create(requests(1)).get(0))).isInstanceOf(Created.class);
        assertThat(never).noneMatch(item -> item.toCompletableFuture().isDone());
        assertThat(guarded.guard.health().state()).isEqualTo(PluginHealth.State.HEALTHY);
    }

    @Test
    void aFactoryThatFailsTooOftenIsLeftAlone() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            CompletionStage<CreateResult> create(CreateRequest request) {
                calls.incrementAndGet();
                throw new IllegalStateException("broken");
            }
        });
        for (int i = 0; i < 3; i++) {
            get(factory.create(requests(1)).get(0));
        }
        await().atMost(WHILE).until(() -> guarded.guard.counters().breaker() == BreakerState.OPEN);
        Failed refused = (Failed) get(factory.create(requests(1)).get(0));
        assertThat(refused.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
        assertThat(refused.message()).contains("3 of the last 4 calls failed", "broken");
        assertThat(refused.retryAfter())
                .isBetween(Duration.ofMillis(1), GuardFixture.LIMITS.breaker().pause());
        assertThat(calls).hasValue(3);
        assertThatThrownBy(() -> get(factory.list())).hasCauseInstanceOf(FactoryException.class);
    }

    @Test
    void aFactoryThatWasLeftAloneIsTriedAgainLater() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (GuardFixture brief = new GuardFixture(GuardFixture.shortPause())) {
            ResourceFactory factory = guard(brief, new StubFactory() {
                @Override
                CompletionStage<CreateResult> create(CreateRequest request) {
                    if (broken.get()) {
                        throw new IllegalStateException("broken");
                    }
                    return super.create(request);
                }
            });
            for (int i = 0; i < 3; i++) {
                get(factory.create(requests(1)).get(0));
            }
            await().atMost(WHILE).until(() -> brief.guard.health().state() == PluginHealth.State.DEGRADED);

            broken.set(false);
            await().atMost(WHILE).until(() -> get(factory.create(requests(1)).get(0)) instanceof Created);
            await().atMost(WHILE).until(() -> brief.guard.health().state() == PluginHealth.State.HEALTHY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hangs", "never completes", "throws", "null", "null in it", "refuses"})
    void aListThatFailsSaysWhy(String how) {
        GuardFixture by = how.equals("hangs") || how.equals("never completes") ? hasty : guarded;
        ResourceFactory factory = guard(by, new StubFactory() {
            @Override
            public CompletionStage<List<Resource>> list() {
                return switch (how) {
                    case "hangs" -> {
                        loop();
                        yield super.list();
                    }
                    case "never completes" -> new CompletableFuture<>();
                    case "throws" -> throw new AssertionError("boom");
                    case "null" -> CompletableFuture.completedStage(null);
                    case "null in it" -> CompletableFuture.completedStage(Arrays.asList(resource("a"), null));
                    default ->
                        CompletableFuture.failedStage(new FactoryException(ErrorKind.UNAUTHORIZED, "who are you"));
                };
            }
        });
        ErrorKind expected = switch (how) {
            case "hangs", "never completes" -> ErrorKind.DEADLINE_EXCEEDED;
            case "refuses" -> ErrorKind.UNAUTHORIZED;
            default -> ErrorKind.INTERNAL;
        };
        assertThatThrownBy(() -> get(factory.list()))
                .cause()
                .isInstanceOfSatisfying(
                        PluginCallException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(expected))
                .hasMessageStartingWith("plugin chaos: list of chaos");
        await().atMost(WHILE).until(() -> {
            PluginCallCounts counters = by.guard.counters();
            return counters.failed() + counters.rejected() + counters.late() == 1;
        });
    }

    @Test
    void aFactoryThatDoesNotSayWhatItIsIsNotLetIn() {
        assertThatThrownBy(() -> guard(new StubFactory() {
                    @Override
                    public ResourceKind kind() {
                        return null;
                    }
                }))
                .isInstanceOf(PluginCallException.class)
                .hasMessageContaining("null to kind");
        assertThatThrownBy(() -> guard(hasty, new StubFactory() {
                    @Override
                    public Capabilities capabilities() {
                        loop();
                        return super.capabilities();
                    }
                }))
                .isInstanceOfSatisfying(
                        PluginCallException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(PluginCallException.Reason.LATE));
        assertThatThrownBy(() -> guard(new StubFactory() {
                    @Override
                    public Capabilities capabilities() {
                        return new Capabilities(Set.of(), -1, 0, false);
                    }
                }))
                .isInstanceOf(PluginCallException.class)
                .hasMessageContaining("capabilities need a family");
    }

    @Test
    void capabilitiesAreRememberedAndAskedAgainAfterAList() throws Exception {
        AtomicInteger capacity = new AtomicInteger(7);
        StubFactory plugin = new StubFactory() {
            @Override
            public Capabilities capabilities() {
                asked.incrementAndGet();
                return new Capabilities(Set.of(Family.IPV4), capacity.get(), 1, false);
            }
        };
        ResourceFactory factory = guard(plugin);
        capacity.set(8);
        for (int i = 0; i < 1000; i++) {
            assertThat(factory.capabilities().capacity()).isEqualTo(7);
        }
        assertThat(plugin.asked).hasValue(1);
        get(factory.list());
        await().atMost(WHILE).until(() -> factory.capabilities().capacity() == 8);
        assertThat(plugin.asked).hasValue(2);
    }

    @Test
    void aFactoryThatChangesItsKindIsNotBelieved() throws Exception {
        AtomicReference<ResourceKind> kind = new AtomicReference<>(StubFactory.KIND);
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            public ResourceKind kind() {
                return kind.get();
            }
        });
        kind.set(ResourceKind.ENI_IP);
        get(factory.list());
        await().atMost(WHILE).until(() -> guarded.guard.health().state() == PluginHealth.State.DEGRADED);
        assertThat(guarded.guard.health().cause())
                .isEqualTo("factory chaos was of kind host-local and now says eni-ip");
        assertThat(factory.kind()).isEqualTo(StubFactory.KIND);
    }

    @Test
    void whoHasListedKnowsWhatTheFactoryCanDoByThen() throws Exception {
        AtomicInteger capacity = new AtomicInteger();
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            public Capabilities capabilities() {
                return new Capabilities(Set.of(Family.IPV4), capacity.get(), 1, false);
            }

            @Override
            public CompletionStage<List<Resource>> list() {
                capacity.set(7);
                return CompletableFuture.completedStage(List.of());
            }
        });
        assertThat(factory.capabilities().capacity()).isZero();

        assertThat(factory.list().thenApply(listed -> factory.capabilities().capacity()))
                .succeedsWithin(WHILE)
                .isEqualTo(7);
    }

    @Test
    void closeIsPassedOnOnceAndNothingAfterIt() throws Exception {
        StubFactory plugin = new StubFactory();
        ResourceFactory factory = guard(plugin);
        factory.close();
        factory.close();
        guarded.guard.close();
        assertThat(plugin.closes).hasValue(1);
        assertThat(((Failed) get(factory.create(requests(1)).get(0))).message()).contains("it is closed");
        await().atMost(WHILE).until(() -> ownThreads() == 0);
    }

    @Test
    void aCloseThatHangsIsInterruptedAndNobodyWaitsForItForLong() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        ResourceFactory factory = guard(hasty, new StubFactory() {
            @Override
            public void close() {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
            }
        });
        long began = System.nanoTime();
        factory.close();
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(
                        GuardFixture.HASTY.factoryClose(),
                        GuardFixture.HASTY.factoryClose().plus(WHILE));
        assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(hasty.guard.counters().late()).isEqualTo(1);
    }

    @Test
    void aCreateUnderWayIsInterruptedByTheClose() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        ResourceFactory factory = guard(new StubFactory() {
            @Override
            CompletionStage<CreateResult> create(CreateRequest request) {
                inside.countDown();
                try {
                    over.await();
                } catch (InterruptedException e) {
                    throw new FactoryException(ErrorKind.UNAVAILABLE, "closing");
                }
                return super.create(request);
            }
        });
        CompletionStage<CreateResult> item = factory.create(requests(1)).get(0);
        assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
        factory.close();
        assertThat(((Failed) get(item)).kind()).isEqualTo(ErrorKind.UNAVAILABLE);
    }

    private ResourceFactory guard(ResourceFactory factory) {
        return guard(guarded, factory);
    }

    private static ResourceFactory guard(GuardFixture by, ResourceFactory factory) {
        return by.guard.factory(factory, "chaos");
    }

    private static long ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("plugin-chaos-"))
                .count();
    }

    private void loop() {
        while (over.getCount() > 0) {
            Thread.onSpinWait();
        }
    }

    /** What a plugin can answer that was built against another SDK, or without care. */
    @SuppressWarnings("unchecked")
    private static List<CompletionStage<CreateResult>> raw(List<?> anything) {
        return (List<CompletionStage<CreateResult>>) anything;
    }

    private static CompletionStage<CreateResult> created(String name) {
        return CompletableFuture.completedStage(new Created(resource(name)));
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return GuardFixture.get(stage.toCompletableFuture());
    }

    /** Tells whoever listens twice. */
    private static final class Stammering extends CompletableFuture<CreateResult> {
        @Override
        public CompletableFuture<CreateResult> whenComplete(
                java.util.function.BiConsumer<? super CreateResult, ? super Throwable> action) {
            action.accept(new Created(resource("first")), null);
            action.accept(new Created(resource("second")), null);
            return this;
        }
    }
}
