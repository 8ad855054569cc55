package io.enipam.pluginhost.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.TimeSource;
import io.enipam.platform.EngineThread;
import io.enipam.platform.EngineThread.StuckThreadListener;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.guard.PluginGuard.PluginHealth;
import io.enipam.sdk.Pick;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many threads ask a policy whose answers take about as long as it has, so that the end of a call and its claim meet all the
 * time. Between its calls each thread writes to a file as the journal does: an interrupt that comes astray closes the
 * channel.
 */
@SuppressWarnings("ThreadPriorityCheck") // on one processor the racers must let each other run
class GuardedPolicyRaceTest {
    private static final int CALLS = 600;
    private static final int THREADS = 4;
    private static final Duration DEADLINE = Duration.ofMillis(2);

    private static final int ROUNDS = 20_000;
    private static final int WINS = ROUNDS / 100;
    private static final int CLAIMS = 100;

    @TempDir
    Path directory;

    @Test
    void everyQuestionOfAnEngineThreadIsAnsweredOnceAndNoInterruptGoesAstray() throws Exception {
        race((task, name) -> new EngineThread(task, name), 0.8, 7);
    }

    @Test
    void everyQuestionOfAnotherThreadIsAnsweredOnceAndNoInterruptGoesAstray() throws Exception {
        race((task, name) -> new Thread(task, name), 0.3, 8);
    }

    private interface Threads {
        Thread of(Runnable task, String name);
    }

    private void race(Threads threads, double shortest, long seed) throws Exception {
        Balance stuck = new Balance();
        Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
        AtomicIntegerArray told = new AtomicIntegerArray(THREADS * CALLS);
        AtomicInteger answered = new AtomicInteger();
        // a breaker that never opens, for it would end the race
        GuardLimits limits = new GuardLimits(
                DEADLINE,
                DEADLINE,
                DEADLINE,
                DEADLINE,
                THREADS,
                1,
                new GuardLimits.BreakerRule(1_000_000, 1_000_000, Duration.ofSeconds(1)));
        try (ExecutorScheduler engine = new ExecutorScheduler();
                PluginGuard guard = new PluginGuard(
                        "race", getClass().getClassLoader(), limits, new SystemTime(), engine, stuck, health -> {})) {
            PolicyPort policy = guard.policy(() -> "race", "race");
            List<Thread> askers = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                int first = t * CALLS;
                Random random = new Random(seed + t);
                Path journal = directory.resolve("journal-" + t);
                Thread asker = threads.of(
                        () -> {
                            try (FileChannel channel = FileChannel.open(
                                    journal, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                                for (int i = 0; i < CALLS; i++) {
                                    int question = first + i;
                                    while (policy.watermarks()) {
                                        LockSupport.parkNanos(50_000);
                                    }
                                    long busy = Math.round(
                                            DEADLINE.toNanos() * (shortest + (1.2 - shortest) * random.nextDouble()));
                                    boolean deaf = random.nextBoolean();
                                    policy.ask("pick", p -> answer(busy, deaf), pick -> true, outcome -> {
                                        told.incrementAndGet(question);
                                        outcome.ifPresent(pick -> answered.incrementAndGet());
                                    });
                                    channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
                                    if (Thread.currentThread().isInterrupted()) {
                                        throw new AssertionError("question " + i + " left an interrupt");
                                    }
                                }
                            } catch (Throwable e) {
                                wrong.add(e);
                            }
                        },
                        "asker-" + t);
                asker.start();
                askers.add(asker);
            }
            for (Thread asker : askers) {
                asker.join(60_000);
                assertThat(asker.isAlive()).isFalse();
            }

            assertThat(wrong).isEmpty();
            await().atMost(Duration.ofSeconds(60)).until(() -> sum(told) >= THREADS * CALLS);
            for (int i = 0; i < told.length(); i++) {
                assertThat(told.get(i)).as("question %s", i).isEqualTo(1);
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> guard.counters().overdue() == 0);
            PluginCallCounts counters = guard.counters();
            assertThat(counters.made() + counters.skipped()).isEqualTo((long) THREADS * CALLS);
            assertThat(answered.get() + counters.late() + counters.failed() + counters.rejected())
                    .isGreaterThanOrEqualTo(counters.made());
            assertThat(answered.get()).as("calls that won").isPositive();
            assertThat(counters.late()).as("calls that lost").isPositive();
            assertThat(stuck.out).hasValue(0);
            assertThat(stuck.wrong).hasValue(0);
            await().atMost(Duration.ofSeconds(60)).until(() -> guard.health().state() == PluginHealth.State.HEALTHY);
        }
    }

    /** The thread was away between the moment it asked and the moment it began: its call is overdue from the start. */
    @Test
    void aCallThatIsClaimedBeforeItsThreadHasBegunLeavesTheThreadNoInterrupt() throws Exception {
        Balance stuck = new Balance();
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger answers = new AtomicInteger();
        AtomicInteger interrupts = new AtomicInteger();
        Duration deadline = Duration.ofNanos(20_000);
        GuardLimits limits = new GuardLimits(
                deadline,
                DEADLINE,
                DEADLINE,
                DEADLINE,
                1,
                1,
                new GuardLimits.BreakerRule(1_000_000, 1_000_000, Duration.ofSeconds(1)));
        TimeSource late = new TimeSource() {
            @Override
            public Instant now() {
                return Instant.now();
            }

            @Override
            public long nanoTime() {
                long away = Thread.currentThread() instanceof EngineThread ? deadline.toNanos() : 0;
                return System.nanoTime() - away;
            }
        };
        try (ExecutorScheduler engine = new ExecutorScheduler();
                PluginGuard guard = new PluginGuard(
                        "late", getClass().getClassLoader(), limits, late, engine, stuck, health -> {})) {
            PolicyPort policy = guard.policy(() -> "late", "late");
            Runnable asking = () -> {
                // until calls were claimed often, which depends on the machine and its load
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                while (guard.counters().late() < CLAIMS && System.nanoTime() < end) {
                    for (int i = 0; i < 100; i++) {
                        asked.incrementAndGet();
                        policy.ask("pick", p -> Pick.longestIdle(), pick -> true, answer -> answers.incrementAndGet());
                        if (Thread.interrupted()) {
                            interrupts.incrementAndGet();
                        }
                    }
                }
            };
            Thread asker = new EngineThread(asking, "asker");
            asker.start();
            asker.join(90_000);

            assertThat(asker.isAlive()).isFalse();
            await().atMost(Duration.ofSeconds(60)).until(() -> answers.get() >= asked.get());
            assertThat(answers).hasValue(asked.get());
            assertThat(guard.counters().late()).as("calls that were claimed").isGreaterThanOrEqualTo(CLAIMS);
            assertThat(interrupts).hasValue(0);
        }
    }

    /**
     * Two ends of one call meet at a gate, many times: one of them has it, and the loser's flag is clean when it leaves.
     * How often each wins depends on the machine and its load, so the rounds go on until both have won often.
     */
    @Test
    void ofTheReturnAndTheClaimOneWins() throws Exception {
        AtomicInteger returned = new AtomicInteger();
        AtomicInteger claimed = new AtomicInteger();
        AtomicInteger stray = new AtomicInteger();
        AtomicReference<InFlightCall> call = new AtomicReference<>();
        AtomicInteger ready = new AtomicInteger(-1);
        AtomicInteger gate = new AtomicInteger(-1);
        AtomicInteger last = new AtomicInteger(Integer.MAX_VALUE);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        Thread caller = new Thread(() -> {
            Random random = new Random(9);
            for (int i = 0; i < last.get(); i++) {
                InFlightCall mine = new InFlightCall("pick", 0, Thread.currentThread());
                awaitRound(ready, i);
                call.set(mine);
                boolean enough = returned.get() >= WINS && claimed.get() >= WINS && i >= ROUNDS;
                if (enough || System.nanoTime() > deadline) {
                    last.set(i + 1);
                }
                gate.set(i);
                pause(random);
                if (mine.finish()) {
                    returned.incrementAndGet();
                } else {
                    mine.leave();
                }
                if (Thread.currentThread().isInterrupted()) {
                    stray.incrementAndGet();
                }
            }
        });
        Thread claimer = new Thread(() -> {
            Random random = new Random(10);
            for (int i = 0; i < last.get(); i++) {
                ready.set(i);
                awaitRound(gate, i);
                InFlightCall theirs = call.get();
                pause(random);
                if (theirs.claim()) {
                    claimed.incrementAndGet();
                    theirs.settle();
                }
            }
        });
        caller.start();
        claimer.start();
        caller.join(90_000);
        claimer.join(90_000);

        assertThat(returned.get() + claimed.get()).isEqualTo(last.get());
        assertThat(returned).as("returns that won").hasValueGreaterThanOrEqualTo(WINS);
        assertThat(claimed).as("claims that won").hasValueGreaterThanOrEqualTo(WINS);
        assertThat(stray).hasValue(0);
    }

    private static void pause(Random random) {
        for (int spin = random.nextInt(50); spin > 0; spin--) {
            Thread.onSpinWait();
        }
        if (random.nextInt(8) == 0) {
            Thread.yield();
        }
    }

    private static void awaitRound(AtomicInteger round, int wanted) {
        for (int spins = 0; round.get() < wanted; spins++) {
            if (spins < 1_000) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    private static Pick answer(long busy, boolean deaf) {
        long until = System.nanoTime() + busy;
        while (System.nanoTime() < until) {
            if (deaf) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(until - System.nanoTime());
                if (Thread.interrupted()) {
                    throw new IllegalStateException("interrupted");
                }
            }
        }
        return Pick.longestIdle();
    }

    private static int sum(AtomicIntegerArray counts) {
        int sum = 0;
        for (int i = 0; i < counts.length(); i++) {
            sum += counts.get(i);
        }
        return sum;
    }

    /** Counts threads that are stuck now, and those that come back on another thread or uncalled for. */
    private static final class Balance implements StuckThreadListener {
        final AtomicInteger out = new AtomicInteger();
        final AtomicInteger wrong = new AtomicInteger();

        @Override
        public void stuck(Thread thread) {
            out.incrementAndGet();
        }

        @Override
        public void returned(Thread thread) {
            if (out.decrementAndGet() < 0 || thread != Thread.currentThread()) {
                wrong.incrementAndGet();
            }
        }
    }
}
