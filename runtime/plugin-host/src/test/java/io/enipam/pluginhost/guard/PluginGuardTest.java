package io.enipam.pluginhost.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.PolicyPort;
import io.enipam.platform.EngineThread;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import io.enipam.pluginhost.guard.PluginGuard.PluginHealth;
import io.enipam.pluginhost.guard.RecentFailures.PluginFailure;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PluginGuardTest {
    private static final Duration WHILE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final Duration LONG = Duration.ofMinutes(2);

    private final GuardFixture guarded = new GuardFixture();
    private final CountDownLatch over = new CountDownLatch(1);

    @AfterEach
    void close() {
        over.countDown();
        guarded.close();
    }

    @Test
    void workRunsOnAPluginThreadAndItsAnswerComesOnAnEngineThread() throws Exception {
        CompletableFuture<Thread> told = new CompletableFuture<>();
        CountDownLatch listened = new CountDownLatch(1);
        CompletableFuture<Thread> made = guarded.guard.calls().call("open", LONG, () -> {
            listened.await();
            return Thread.currentThread();
        });
        made.whenComplete((thread, error) -> told.complete(Thread.currentThread()));
        listened.countDown();
        assertThat(GuardFixture.get(told)).isInstanceOf(EngineThread.class);
        assertThat(GuardFixture.get(made).getName()).startsWith("plugin-chaos-");
    }

    @Test
    void theLastFailuresAreKeptWithCauseAndStackAsText() throws Exception {
        PolicyPort policy = guarded.policy();
        GuardFixture.get(guarded.ask(policy, p -> {
            throw new IllegalStateException("no\nway", new IllegalArgumentException("it is Monday"));
        }));
        GuardFixture.get(guarded.ask(policy, p -> null));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> guarded.guard.recentFailures().size() == 2);

        List<PluginFailure> last = guarded.guard.recentFailures();
        assertThat(last.get(0).cause()).isEqualTo("policy chaos: pick answered null");
        assertThat(last.get(0).stack()).isEmpty();
        assertThat(last.get(1).cause()).isEqualTo("policy chaos: pick threw java.lang.IllegalStateException: no way");
        assertThat(last.get(1).stack())
                .startsWith("java.lang.IllegalStateException: no way")
                .anyMatch(line -> line.startsWith("    at ") && line.contains("PluginGuardTest"))
                .contains("caused by java.lang.IllegalArgumentException: it is Monday");
    }

    @Test
    void onlyTheLastTenFailuresAreKept() {
        RecentFailures recent = new RecentFailures(new SystemTime());
        for (int i = 1; i <= 12; i++) {
            recent.add("factory cidr", "failure " + i, List.of());
        }

        assertThat(recent.all())
                .extracting(PluginFailure::cause)
                .hasSize(10)
                .first()
                .isEqualTo("factory cidr: failure 12");
    }

    @Test
    void anExceptionThatCannotBeReadHasNoStackAndDoesNoHarm() {
        assertThat(PluginFailure.stackOf(new RuntimeException("outer") {
                    @Override
                    public StackTraceElement[] getStackTrace() {
                        throw new IllegalStateException("no");
                    }
                }))
                .hasSize(2)
                .last()
                .isEqualTo("the rest cannot be read: java.lang.IllegalStateException");
    }

    @Test
    void aCallThatIsLateFailsInTimeAndIsInterrupted() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        long began = System.nanoTime();
        CompletableFuture<String> late = guarded.guard.calls().call("open", SHORT, () -> {
            try {
                over.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return "too late";
        });
        assertThatThrownBy(() -> GuardFixture.get(late))
                .cause()
                .isInstanceOfSatisfying(PluginCallException.class, failure -> {
                    assertThat(failure.reason()).isEqualTo(PluginCallException.Reason.LATE);
                    assertThat(failure.kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED);
                })
                .hasMessage("plugin chaos: open did not answer within 150 ms");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(SHORT, LONG);
        assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCallThatThrowsSaysWhat() {
        assertThatThrownBy(() -> GuardFixture.get(guarded.guard.calls().call("open", LONG, () -> {
                    throw new java.io.IOException("no such file");
                })))
                .cause()
                .isInstanceOfSatisfying(
                        PluginCallException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(PluginCallException.Reason.THREW))
                .hasMessage("plugin chaos: open threw java.io.IOException: no such file");
        assertThatThrownBy(() -> GuardFixture.get(guarded.guard.calls().call("open", LONG, () -> null)))
                .cause()
                .hasMessageContaining("null");
    }

    @Test
    void whatIsOpenedTooLateIsGivenBack() throws Exception {
        CompletableFuture<String> givenBack = new CompletableFuture<>();
        CompletableFuture<String> late = guarded.guard
                .calls()
                .open(
                        "open",
                        SHORT,
                        () -> {
                            while (true) {
                                try {
                                    over.await();
                                    return "part";
                                } catch (InterruptedException e) {
                                    continue; // it does not mind
                                }
                            }
                        },
                        givenBack::complete);
        assertThatThrownBy(() -> GuardFixture.get(late)).hasMessageContaining("150 ms");
        over.countDown();
        assertThat(GuardFixture.get(givenBack)).isEqualTo("part");
    }

    @Test
    void anAnswerThatComesLaterIsWaitedForUntilTheDeadline() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletableFuture<String> asked = later(LONG, answer);
        answer.complete("done");
        assertThat(GuardFixture.get(asked)).isEqualTo("done");
        assertThatThrownBy(() -> GuardFixture.get(later(SHORT, new CompletableFuture<>())))
                .hasMessageContaining("plugin chaos: perform of vlan did not answer within 150 ms");
        assertThatThrownBy(() -> GuardFixture.get(later(LONG, CompletableFuture.completedFuture(null))))
                .hasMessageContaining("null");
        assertThatThrownBy(() -> GuardFixture.get(later(LONG, null))).hasMessageContaining("null");
        Exception noSwitch = new IllegalStateException("no switch");
        assertThatThrownBy(() -> GuardFixture.get(later(LONG, CompletableFuture.failedFuture(noSwitch))))
                .hasMessageContaining("no switch");
    }

    private CompletableFuture<String> later(Duration deadline, @Nullable CompletableFuture<String> stage) {
        return guarded.guard.extension("vlan").later("perform", deadline, () -> stage);
    }

    @Test
    void aPluginThatSaysNoWellDoesNotOpenTheBreaker() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> GuardFixture.get(guarded.guard.calls().call("ranges", LONG, () -> {
                        throw new FactoryException(ErrorKind.MISCONFIGURED, "no such range");
                    })))
                    .cause()
                    .isInstanceOfSatisfying(
                            PluginCallException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.MISCONFIGURED))
                    .hasMessage("plugin chaos: ranges: no such range");
        }
        assertThat(GuardFixture.get(guarded.guard.calls().call("ranges", LONG, () -> "10.0.0.0/24")))
                .isEqualTo("10.0.0.0/24");
    }

    @Test
    void callsThatFailTooOftenAreRefusedButPoliciesAndFactoriesGoOn() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> GuardFixture.get(guarded.guard.calls().call("ranges", LONG, () -> {
                throw new IllegalStateException();
            })));
        }
        await().atMost(WHILE).until(() -> guarded.guard.health().state() == PluginHealth.State.DEGRADED);
        assertThatThrownBy(() -> GuardFixture.get(guarded.guard.calls().call("ranges", LONG, () -> "?")))
                .cause()
                .isInstanceOfSatisfying(
                        PluginCallException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(PluginCallException.Reason.REFUSED));

        PolicyPort policy = guarded.policy();
        assertThat(policy.watermarks()).isFalse();
        assertThat(GuardFixture.get(guarded.ask(policy, GuardFixture::good))).isPresent();
        ResourceFactory factory = guarded.guard.factory(new StubFactory(), "good");
        assertThat(GuardFixture.get(factory.list().toCompletableFuture())).hasSize(2);
    }

    @Test
    void whatIsUsedNoMoreDoesNotMakeAPluginIll() throws Exception {
        PolicyPort policy = guarded.policy();
        for (int i = 0; i < 3; i++) {
            GuardFixture.get(guarded.ask(policy, p -> null));
        }
        ResourceFactory factory = guarded.guard.factory(
                new StubFactory() {
                    @Override
                    public CompletionStage<List<Resource>> list() {
                        throw new IllegalStateException("broken");
                    }
                },
                "broken");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> GuardFixture.get(factory.list().toCompletableFuture()));
        }
        await().atMost(WHILE).until(() -> guarded.guard.counters().breaker() == BreakerState.OPEN);
        assertThat(guarded.guard.health().state()).isEqualTo(PluginHealth.State.DEGRADED);
        guarded.guard.release(policy);
        assertThat(guarded.guard.health().state()).isEqualTo(PluginHealth.State.DEGRADED);
        assertThat(guarded.guard.health().cause()).startsWith("factory broken: ");
        factory.close();
        assertThat(guarded.guard.health().state()).isEqualTo(PluginHealth.State.HEALTHY);
        assertThat(guarded.guard.counters().breaker()).isEqualTo(BreakerState.CLOSED);
        assertThat(policy.watermarks()).isTrue();
    }

    @Test
    void threadsThatAPluginLeavesBehindAreCounted() throws Exception {
        for (ClassLoader loader :
                List.of(new URLClassLoader(new URL[0]), getClass().getClassLoader())) {
            AtomicBoolean end = new AtomicBoolean();
            List<Thread> leaked = new ArrayList<>();
            try (GuardFixture mine = new GuardFixture(GuardFixture.LIMITS, loader)) {
                assertThat(mine.guard.startedThreads()).isZero();
                GuardFixture.get(mine.guard.calls().call("open", LONG, () -> {
                    leaked.add(leak(end));
                    return "opened";
                }));
                GuardFixture.get(mine.ask(mine.policy(), policy -> {
                    leaked.add(leak(end));
                    return GuardFixture.good(policy);
                }));
                mine.guard.close();
                assertThat(mine.guard.startedThreads()).isEqualTo(2);
                end.set(true);
                for (Thread thread : leaked) {
                    thread.join(60_000);
                }
                assertThat(mine.guard.startedThreads()).isZero();
            }
        }
    }

    private static Thread leak(AtomicBoolean end) {
        Thread thread = new Thread(() -> {
            while (!end.get()) {
                Thread.onSpinWait();
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
