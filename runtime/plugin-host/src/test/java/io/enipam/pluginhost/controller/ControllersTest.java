package io.enipam.pluginhost.controller;

import static com.google.common.util.concurrent.Uninterruptibles.awaitUninterruptibly;
import static io.enipam.pluginhost.controller.Replica.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.pluginhost.controller.ControllerView.State;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Host;
import io.enipam.sdk.Next;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class ControllersTest {
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final ClusterObjects cluster = new ClusterObjects();
    private final List<Replica> replicas = new ArrayList<>();

    private Replica replica(String name) {
        return replica(name, host -> new Blocks(name, host, cluster));
    }

    private Replica replica(String name, Function<Host, Controller> open) {
        Replica made = new Replica(name, cluster, open);
        replicas.add(made);
        return made;
    }

    @AfterEach
    void end() {
        replicas.forEach(Replica::close);
    }

    private void awaitAssigned() {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(new TreeMap<>(cluster.assigned)).isEqualTo(blocks()));
    }

    private Map<String, String> blocks() {
        Map<String, String> blocks = new TreeMap<>();
        cluster.store.read(tx -> {
            tx.scan(Blocks.BLOCKS, "").forEach((Row<String> row) -> blocks.put(row.key(), row.value()));
            return blocks;
        });
        assertThat(blocks.keySet()).isEqualTo(cluster.nodes);
        return blocks;
    }

    @Test
    void eachKeyThatIsToldIsReconciledAndItsEffectsPerformed() {
        cluster.join("n1");
        Replica a = replica("a");
        a.awaitState(State.ACTIVE);
        awaitAssigned();
        cluster.join("n2");
        awaitAssigned();
        cluster.leave("n1");
        awaitAssigned();
        assertThat(cluster.assigned).containsExactly(Map.entry("n2", "1"));
    }

    @Test
    void whatWasDeletedWhileNoneWatchedIsReconciledByTheRowsOfTheTable() {
        cluster.join("n1");
        replica("a").awaitState(State.ACTIVE);
        awaitAssigned();
        replicas.remove(0).close();
        cluster.nodes.clear();
        replica("a").awaitState(State.ACTIVE);
        awaitAssigned();
    }

    @Test
    void whatACommandOrAnotherReplicaWritesToTheTableIsReconciled() {
        cluster.join("n1");
        replica("a").awaitState(State.ACTIVE);
        awaitAssigned();
        cluster.store.update(tx -> tx.put(Blocks.BLOCKS, "n1", "7"));
        cluster.store.update(tx -> tx.put(Blocks.BLOCKS, "gone", "8"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(cluster.store.<Boolean>read(
                                tx -> tx.get(Blocks.BLOCKS, "gone").isPresent()))
                        .as("the row of a node that is none")
                        .isFalse());
        cluster.store.update(tx -> tx.delete(Blocks.BLOCKS, "n1"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(cluster.store.<String>read(tx ->
                                tx.get(Blocks.BLOCKS, "n1").map(Row::value).orElse("")))
                        .isEqualTo("0"));
    }

    @Test
    void oneStoryTellsTheRetriesThePausesAndTheEffectsOfAKey() {
        AtomicInteger calls = new AtomicInteger();
        Replica a = replica("a", host -> new Blocks("a", host, cluster) {
            @Override
            public Next reconcile(String node, Transaction tx) {
                return switch (calls.incrementAndGet()) {
                    case 1 -> Next.retry(ErrorKind.THROTTLED, "the quota is used up");
                    case 2 -> Next.again(MOMENT, "its subnet is being made");
                    default -> super.reconcile(node, tx);
                };
            }

            @Override
            public List<Source> watches() {
                return List.of(cluster.source()); // the table would tell the key once more
            }

            @Override
            public Limits limits() {
                return new Limits(1, 10, MOMENT, MOMENT, 5);
            }
        });
        a.awaitState(State.ACTIVE);
        cluster.join("default/n1");
        awaitAssigned();

        await().atMost(PATIENCE).untilAsserted(() -> {
            TraceSnapshot story = a.traces.of(Operation.RECONCILE).get(0);
            assertThat(story.outcome()).isEqualTo(TraceSnapshot.OK);
            assertThat(story.subject().name()).isEqualTo("blocks/default/n1");
            assertThat(story.steps().stream().map(TraceSnapshot.Step::name))
                    .containsExactly("RECONCILE", "WAIT", "RECONCILE", "WAIT", "RECONCILE", "EFFECT");
            assertThat(story.steps().get(0).outcome()).isEqualTo("THROTTLED");
            assertThat(story.steps().get(3).attributes()).containsEntry("why", "its subnet is being made");
            assertThat(story.steps().get(5).attributes()).containsEntry("handler", "assign");
        });
        assertThat(a.view().counts())
                .satisfies(counts -> assertThat(List.of(counts.done(), counts.again(), counts.retries()))
                        .containsExactly(1L, 1L, 1L));
    }

    @Test
    void aReplicaThatLosesTheLeaseInTheMiddleCommitsNothing() throws InterruptedException {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch lost = new CountDownLatch(1);
        cluster.beforeCommit = host -> {
            if (host.equals("a")) {
                reached.countDown();
                awaitUninterruptibly(lost);
            }
        };
        Replica a = replica("a");
        Replica b = replica("b");
        a.awaitState(State.ACTIVE);
        assertThat(b.view().state()).isEqualTo(State.FOLLOWING);
        cluster.join("n1");
        reached.await();
        cluster.pass("b");
        lost.countDown();
        awaitAssigned();

        assertThat(cluster.strangers).isEmpty();
        assertThat(a.view().state()).isEqualTo(State.FOLLOWING);
        await().atMost(PATIENCE).until(() -> cluster.watched() == 1);
        assertThat(a.traces.of(Operation.RECONCILE))
                .allSatisfy(story -> assertThat(story.steps())
                        .noneSatisfy(step -> assertThat(step.name()).isEqualTo("EFFECT")));
    }

    @Test
    void twoReplicasOfOneJournalNeverWriteAtOnce() {
        replica("a");
        replica("b");
        Random random = new Random(19);
        for (int step = 0; step < 300; step++) {
            String node = "n" + random.nextInt(8);
            if (random.nextBoolean()) {
                cluster.join(node);
            } else {
                cluster.leave(node);
            }
            if (random.nextInt(5) == 0) {
                cluster.pass(random.nextBoolean() ? "a" : "b");
            }
        }
        awaitAssigned();
        assertThat(cluster.strangers).isEmpty();
    }

    @Test
    void whatAFormerLeaderHasLeftIsPerformedByTheNext() {
        Replica a = replica("a", host -> new Blocks("a", host, cluster) {
            @Override
            public CompletionStage<EffectResult> perform(Effect effect) {
                return CompletableFuture.completedStage(Failed.of(ErrorKind.UNAVAILABLE, "no route"));
            }
        });
        replica("b");
        cluster.join("n1");
        await().atMost(PATIENCE)
                .until(() -> a.effects.all().stream()
                        .anyMatch(effect -> effect.nextTry().isPresent()));
        cluster.pass("b");
        awaitAssigned();
        assertThat(a.effects.all()).isEmpty();
    }

    private void crashBetweenCommitAndEffect() {
        Replica dies = replica("a", host -> new Blocks("a", host, cluster) {
            @Override
            public CompletionStage<EffectResult> perform(Effect effect) {
                return new CompletableFuture<>();
            }
        });
        cluster.join("n1");
        await().atMost(PATIENCE).until(() -> !dies.effects.all().isEmpty());
        replicas.remove(dies);
        dies.close();
        cluster.store = cluster.store.reopened();
    }

    @Test
    void aCrashBetweenCommitAndEffectLosesNoEffect() {
        crashBetweenCommitAndEffect();
        Replica next = replica("a");
        awaitAssigned();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(next.traces.of(Operation.RECONCILE))
                        .anySatisfy(story -> assertThat(story.steps())
                                .anySatisfy(step -> assertThat(step.name()).isEqualTo("EFFECT"))));
    }

    @Test
    void whatIsCommittedWhileTheWaitingEffectsAreReadIsPerformedAfterThem() {
        crashBetweenCommitAndEffect();

        List<String> performed = new CopyOnWriteArrayList<>();
        replica("a", host -> {
            AtomicBoolean first = new AtomicBoolean(true);
            cluster.afterRead = () -> {
                if (first.getAndSet(false)) {
                    host.journal().update(tx -> tx.effect("withdraw", "n1", ""));
                }
            };
            return new Blocks("a", host, cluster) {
                @Override
                public List<Source> watches() {
                    return List.of();
                }

                @Override
                public CompletionStage<EffectResult> perform(Effect effect) {
                    performed.add(effect.handler());
                    return super.perform(effect);
                }
            };
        });
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(performed).containsExactly("assign", "withdraw"));
    }

    /** Notes how often each key is reconciled, and whether a key ever is twice at once. */
    private static final class Counting extends Blocks {
        private final Limits limits;
        final Map<String, Integer> calls = new ConcurrentHashMap<>();
        final Set<String> underWay = ConcurrentHashMap.newKeySet();
        final AtomicBoolean twice = new AtomicBoolean();

        Counting(Host host, ClusterObjects cluster, Limits limits) {
            super("a", host, cluster);
            this.limits = limits;
        }

        @Override
        public Limits limits() {
            return limits;
        }

        @Override
        public List<Source> watches() {
            return List.of(cluster.source());
        }

        @Override
        public Next reconcile(String key, Transaction tx) {
            if (!underWay.add(key)) {
                twice.set(true);
            }
            calls.merge(key, 1, Integer::sum);
            Thread.yield();
            underWay.remove(key);
            return Next.done();
        }
    }

    private Counting counting(Controller.Limits limits) {
        CompletableFuture<Counting> made = new CompletableFuture<>();
        replica("a", host -> {
            made.complete(new Counting(host, cluster, limits));
            return made.join();
        });
        return made.join();
    }

    @Test
    void thirtyEffectsAreOnTheirWayAtOnceOfWhichThePartIsCalledForSix() {
        List<CompletableFuture<Boolean>> answers = new CopyOnWriteArrayList<>();
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Replica a = replica("a", host -> new Blocks("a", host, cluster) {
            @Override
            public CompletionStage<EffectResult> perform(Effect effect) {
                most.accumulateAndGet(calls.incrementAndGet(), Math::max);
                LockSupport.parkNanos(MOMENT.toNanos());
                calls.decrementAndGet();
                CompletableFuture<Boolean> answer = new CompletableFuture<>();
                answers.add(answer);
                return answer.thenCompose(come -> super.perform(effect));
            }
        });
        IntStream.range(0, 40).forEach(i -> cluster.join("n" + i));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(a.effects.all()).hasSize(40));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(answers).hasSize(30));
        for (int i = 0; i < 40; i++) {
            answers.get(i).complete(true);
            int next = Math.min(40, 31 + i);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(answers).hasSize(next));
        }
        awaitAssigned();
        assertThat(most).hasValueLessThanOrEqualTo(6);
    }

    @Test
    void tenThousandKeysAreReconciledEachByOneWorkerAtATime() {
        List<String> keys = IntStream.range(0, 10_000).mapToObj(i -> "n" + i).toList();
        cluster.nodes.addAll(keys);
        Counting counting = counting(new Controller.Limits(30, 5_000, MOMENT, MOMENT, 3));
        Runnable tellAll = () -> keys.forEach(cluster::join);
        List<Thread> tellers = List.of(new Thread(tellAll), new Thread(tellAll), new Thread(tellAll));
        tellers.forEach(Thread::start);
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(counting.calls).hasSize(10_000);
            assertThat(replicas.get(0).view().load())
                    .satisfies(
                            load -> assertThat(load.queued() + load.underWay()).isZero());
        });
        assertThat(counting.twice).isFalse();
    }

    @Test
    void noKeyIsLostWhenMoreWaitThanTheQueueIsMeantFor() {
        CountDownLatch go = new CountDownLatch(1);
        cluster.beforeCommit = host -> awaitUninterruptibly(go);
        Counting counting = counting(new Controller.Limits(1, 5, MOMENT, MOMENT, 3));
        replicas.get(0).awaitState(State.ACTIVE);
        IntStream.range(0, 100).forEach(i -> cluster.join("n" + i));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(replicas.get(0).view().load())
                        .satisfies(load -> assertThat(load.queued()).isEqualTo(99))
                        .satisfies(load -> assertThat(load.bound()).isEqualTo(5)));
        go.countDown();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(counting.calls).hasSize(100));
    }

    @Test
    void aKeyThatChangesWhileItIsReconciledIsReconciledOnceMore() {
        CountDownLatch first = new CountDownLatch(1);
        AtomicBoolean reached = new AtomicBoolean();
        cluster.beforeCommit = host -> {
            if (!reached.getAndSet(true)) {
                awaitUninterruptibly(first);
            }
        };
        Counting counting = counting(Controller.Limits.DEFAULT);
        replicas.get(0).awaitState(State.ACTIVE);
        cluster.join("n1");
        await().atMost(PATIENCE).untilTrue(reached);
        IntStream.range(0, 5).forEach(i -> cluster.join("n1"));
        first.countDown();
        await().atMost(PATIENCE).until(() -> counting.calls.getOrDefault("n1", 0) == 2);
        await().atMost(Duration.ofMinutes(1)).during(Duration.ofMillis(200)).until(() -> counting.calls.get("n1") == 2);
    }

    @Test
    void aReconcileThatHangsHoldsItsKeyAloneAndCommitsNothingAfterItsDeadline() {
        CountDownLatch hangs = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        cluster.beforeCommit = host -> {
            if (first.getAndSet(false)) {
                awaitUninterruptibly(hangs);
            }
        };
        Replica a = replica("a");
        a.awaitState(State.ACTIVE);
        cluster.join("n1");
        await().atMost(PATIENCE).until(() -> !first.get());
        cluster.join("n2");
        await().atMost(PATIENCE).until(() -> cluster.assigned.containsKey("n2"));
        cluster.join("n1");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(a.view().failing())
                        .singleElement()
                        .satisfies(failing -> {
                            assertThat(failing.key()).isEqualTo("n1");
                            assertThat(failing.kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
                            assertThat(failing.why()).contains("did not answer within 5000 ms");
                        }));
        assertThat(cluster.assigned).doesNotContainKey("n1");
        hangs.countDown();
        awaitAssigned();
        await().atMost(PATIENCE).until(() -> a.view().failing().isEmpty());
    }

    @Test
    void aSourceThatCannotBeOpenedIsOpenedAgainAndNothingIsReconciledBeforeThat() {
        AtomicInteger opened = new AtomicInteger();
        AtomicBoolean refused = new AtomicBoolean(true);
        cluster.nodes.add("n1");
        Replica a = replica("a", host -> new Blocks("a", host, cluster) {
            @Override
            public List<Source> watches() {
                return List.of(cluster.source(), new Source() {
                    @Override
                    public String name() {
                        return "subnets";
                    }

                    @Override
                    public AutoCloseable open(Sink sink) {
                        opened.incrementAndGet();
                        if (refused.get()) {
                            throw new IllegalStateException("connection refused");
                        }
                        assertThat(cluster.assigned).isEmpty();
                        sink.synced();
                        return () -> {};
                    }
                });
            }
        });
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(a.view()).satisfies(view -> {
                    assertThat(view.cause()).contains("source subnets is lost").contains("connection refused");
                    assertThat(view.state()).isEqualTo(State.LOST);
                }));
        refused.set(false);
        a.awaitState(State.ACTIVE);
        awaitAssigned();
        assertThat(a.events.types()).contains("SourceLost");
        assertThat(cluster.openings).hasValue(opened.get());
    }

    @Test
    void aHundredSourcesThatOpenSlowlyAreAllOpenedAndNoneIsLost() {
        AtomicInteger opened = new AtomicInteger();
        Replica a = replica("a", host -> new Blocks("a", host, cluster) {
            @Override
            public List<Source> watches() {
                return IntStream.range(0, 100).mapToObj(this::slow).toList();
            }

            private Source slow(int number) {
                return new Source() {
                    @Override
                    public String name() {
                        return "s" + number;
                    }

                    @Override
                    public AutoCloseable open(Sink sink) {
                        LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
                        opened.incrementAndGet();
                        sink.synced();
                        return () -> {};
                    }
                };
            }
        });
        a.awaitState(State.ACTIVE);
        assertThat(opened).hasValue(100);
        assertThat(a.events.types()).doesNotContain("SourceLost");
    }

    @Test
    void aLostSourceStopsTheReconcilesUntilAllAreSyncedAgain() {
        Replica a = replica("a");
        a.awaitState(State.ACTIVE);
        cluster.join("n1");
        awaitAssigned();
        cluster.nodes.clear();
        cluster.nodes.add("n2");
        cluster.lose("the watch\nended");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(a.events.all())
                        .filteredOn(event -> event.type().equals("SourceLost"))
                        .singleElement()
                        .satisfies(event -> assertThat(event.message())
                                .endsWith("reconciles nothing: source nodes is lost: the watch ended")));
        a.awaitState(State.ACTIVE);
        awaitAssigned();
        assertThat(cluster.assigned).containsOnlyKeys("n2");
    }

    @Test
    void aKeyThatFailsTooOftenIsLeftUntilItIsToldAgain() {
        AtomicBoolean broken = new AtomicBoolean(true);
        AtomicInteger calls = new AtomicInteger();
        Replica a = replica("a", host -> new Blocks("a", host, cluster) {
            @Override
            public Next reconcile(String node, Transaction tx) {
                Next next = super.reconcile(node, tx);
                calls.incrementAndGet();
                if (broken.get()) {
                    throw new IllegalStateException("no range is left");
                }
                return next;
            }

            @Override
            public Limits limits() {
                return new Limits(1, 10, MOMENT, MOMENT, 2);
            }
        });
        a.awaitState(State.ACTIVE);
        cluster.join("n1");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(a.view().failing())
                        .singleElement()
                        .satisfies(failing -> {
                            assertThat(failing.failures()).isEqualTo(3);
                            assertThat(failing.why()).contains("no range is left");
                            assertThat(failing.nextTry()).isEmpty();
                        }));
        assertThat(calls).hasValue(3);
        assertThat(cluster.assigned).as("what a failed reconcile wrote").isEmpty();
        broken.set(false);
        cluster.join("n1");
        awaitAssigned();
        await().atMost(PATIENCE).until(() -> a.view().failing().isEmpty());
        assertThat(a.traces.of(Operation.RECONCILE).get(0).outcome()).isEqualTo("INTERNAL");
    }
}
