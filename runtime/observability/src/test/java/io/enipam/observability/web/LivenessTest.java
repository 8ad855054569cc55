package io.enipam.observability.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.observability.web.Liveness.Deadlocks;
import io.enipam.observability.web.Page.Checks;
import io.enipam.observability.web.Page.Checks.Part;
import io.enipam.observability.web.Page.Response;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LivenessTest {
    private final VirtualTime time = new VirtualTime();
    private final Deque<Runnable> owed = new ArrayDeque<>();
    private final AtomicInteger looks = new AtomicInteger();
    private Optional<String> deadlock = Optional.empty();
    private Runnable touch = () -> {};
    private final Liveness liveness = new Liveness(
            time,
            new Scheduler() {
                @Override
                public void execute(Runnable task) {
                    owed.add(task);
                }

                @Override
                public Cancellable after(Duration delay, Runnable task) {
                    throw new UnsupportedOperationException("nothing is asked for later");
                }
            },
            () -> touch.run(),
            () -> {
                looks.incrementAndGet();
                return deadlock;
            });
    private final Checks page = new Checks("livez", liveness::parts);

    @Test
    void aDaemonWhoseThreadsAnswerIsAliveHoweverLongNobodyAsked() {
        for (int i = 0; i < 10; i++) {
            assertThat(said(false)).isEqualTo("200 ok\n");
            owed.remove().run();
            time.advance(Duration.ofHours(1));
        }
    }

    @Test
    void threadsThatOweAnAnswerForAMinuteAreWhatARestartMends() {
        said(false);
        time.advance(Liveness.PATIENCE.minusSeconds(1));
        assertThat(said(false)).isEqualTo("200 ok\n");
        time.advance(Duration.ofSeconds(1));

        assertThat(said(false)).isEqualTo("""
                        503 [+]ping ok
                        [-]threads failed: the engine's threads have not answered for 60s
                        [+]deadlock ok
                        livez check failed
                        """);
        assertThat(owed).as("they are asked once, not again with each probe").hasSize(1);
        owed.remove().run();
        assertThat(said(true)).isEqualTo("200 [+]ping ok\n[+]threads ok\n[+]deadlock ok\nlivez check passed\n");
    }

    @Test
    void aThreadThatThrewHasAnswered() {
        touch = () -> {
            throw new IllegalStateException("a bug");
        };
        said(false);
        assertThatThrownBy(owed.remove()::run).hasMessage("a bug");
        time.advance(Liveness.PATIENCE);

        assertThat(said(false)).isEqualTo("200 ok\n");
    }

    @Test
    void theJvmIsAskedForDeadlocksNowAndThenOnly() {
        said(false);
        said(false);
        assertThat(looks).hasValue(1);
        deadlock = Optional.of("2 threads wait for each other: a, b");
        time.advance(Duration.ofSeconds(10));

        assertThat(said(false))
                .startsWith("503 ")
                .contains("[-]deadlock failed: 2 threads wait for each other: a, b\n");
    }

    @Test
    void whatAPartSaysCannotLookLikeAnotherPart() {
        Checks odd = new Checks("readyz", () -> List.of(new Part("database", Optional.of("no space\n[+]all ok\r\n"))));

        assertThat(new String(odd.answer(new Page.Asked(false, "")).body(), StandardCharsets.UTF_8))
                .isEqualTo("[-]database failed: no space [+]all ok\nreadyz check failed\n");
    }

    @Test
    void twoThreadsThatWaitForEachOtherAreNamed() {
        ReentrantLock one = new ReentrantLock();
        ReentrantLock other = new ReentrantLock();
        CountDownLatch both = new CountDownLatch(2);
        Thread first = locking("livez-test-1", one, other, both);
        Thread second = locking("livez-test-2", other, one, both);
        try {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(Deadlocks.look().orElse(""))
                            .startsWith("2 threads wait for each other: ")
                            .contains("livez-test-1", "livez-test-2"));
        } finally {
            first.interrupt();
            second.interrupt();
        }
    }

    private static Thread locking(String name, ReentrantLock mine, ReentrantLock theirs, CountDownLatch both) {
        Thread thread = new Thread(
                () -> {
                    mine.lock();
                    both.countDown();
                    try {
                        both.await();
                        theirs.lockInterruptibly();
                        theirs.unlock();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        mine.unlock();
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private String said(boolean verbose) {
        Response answer = page.answer(new Page.Asked(verbose, ""));
        return answer.status() + " " + new String(answer.body(), StandardCharsets.UTF_8);
    }
}
