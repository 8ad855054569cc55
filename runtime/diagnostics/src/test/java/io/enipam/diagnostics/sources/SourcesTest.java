package io.enipam.diagnostics.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.Snapshot.SourceReply.State;
import io.enipam.diagnostics.testing.FakeSource;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How sources are asked: side by side, each within its own deadline, the costly ones not more often than needed. */
@Timeout(60)
class SourcesTest {
    /** What a source says that nobody knew of when the others were written. */
    private record Routes(List<String> lines) {}

    private record Rules(int count) {}

    @AutoClose
    private final ExecutorScheduler scheduler = new ExecutorScheduler();

    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void aSourceThatHangsHoldsOneThreadAndDelaysNobodyElse() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Source<Routes> hanging = source(Duration.ofMillis(100), false, () -> {
            await(released);
            return CompletableFuture.completedFuture(new Routes(List.of()));
        });
        try (Sources sources = sources(hanging, rules())) {
            Snapshot first = sources.ask(Duration.ZERO).get();
            hasBegun();
            Snapshot second = sources.ask(Duration.ZERO).get();

            for (Snapshot snapshot : List.of(first, second)) {
                SourceReply<Routes> late = snapshot.reply(Routes.class);
                assertThat(late.state()).isEqualTo(State.FAILED);
                assertThat(late.code()).isEqualTo("TIMEOUT");
                assertThat(late.why()).isEqualTo("no answer within 100 ms");
                assertThat(snapshot.answer(Rules.class)).contains(new Rules(3));
            }
            assertThat(asked).as("a question that is out is not put twice").hasValue(1);
            released.countDown();
        }
    }

    @Test
    void aQuestionThatWasWaitedOutKeepsNobodyElseWaiting() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        VirtualTime time = new VirtualTime();
        Source<Routes> hanging = source(Duration.ofSeconds(5), true, () -> {
            await(released);
            return CompletableFuture.completedFuture(new Routes(List.of()));
        });
        try (Sources sources = new Sources(List.of(hanging), time, time)) {
            CompletableFuture<Snapshot> first = sources.ask(Duration.ZERO);
            hasBegun();
            time.advance(Duration.ofSeconds(3));
            CompletableFuture<Snapshot> joins = sources.ask(Duration.ofHours(1));
            time.advance(Duration.ofSeconds(2));
            assertThat(first.get().reply(Routes.class).code()).isEqualTo("TIMEOUT");
            assertThat(joins.get().reply(Routes.class).code())
                    .as("the patience runs from the question's beginning")
                    .isEqualTo("TIMEOUT");

            for (Duration age : List.of(Duration.ofHours(1), Duration.ZERO)) {
                // the time stands still: who waits would wait for ever
                SourceReply<Routes> again = sources.ask(age).get().reply(Routes.class);
                assertThat(again.code()).isEqualTo("TIMEOUT");
                assertThat(again.why()).isEqualTo("no answer within 5000 ms");
            }
            assertThat(asked).hasValue(1);
            released.countDown();
        }
    }

    @Test
    void aSourceThatFailsByAnErrorOfTheProgramIsAskedAgain() throws Exception {
        Source<Routes> failing = source(Duration.ofSeconds(20), true, () -> {
            if (asked.get() == 1) {
                throw new AssertionError("cannot be");
            }
            return CompletableFuture.completedFuture(new Routes(List.of()));
        });
        try (Sources sources = sources(failing)) {
            assertThat(sources.ask(Duration.ZERO).get().reply(Routes.class).why())
                    .isEqualTo("cannot be");
            assertThat(sources.ask(Duration.ZERO).get().reply(Routes.class).known())
                    .isTrue();
        }
    }

    @Test
    void aCostlySourceIsAskedAnewOnlyByThoseWhoNeedANewAnswer() throws Exception {
        Source<Routes> costly =
                source(Duration.ofSeconds(20), true, () -> CompletableFuture.completedFuture(new Routes(List.of("a"))));
        try (Sources sources = sources(costly)) {
            Snapshot first = sources.ask(Duration.ofHours(1)).get();
            Snapshot kept = sources.ask(Duration.ofHours(1)).get();
            assertThat(asked).hasValue(1);
            assertThat(kept.reply(Routes.class).at())
                    .as("it says how old it is")
                    .isEqualTo(first.reply(Routes.class).at());

            sources.ask(Duration.ZERO).get();
            assertThat(asked).hasValue(2);
        }
    }

    @Test
    void aFailureIsToldWithItsCodeAndIsNotKept() throws Exception {
        Source<Routes> failing = source(
                Duration.ofSeconds(20),
                true,
                () -> asked.get() == 1
                        ? CompletableFuture.failedFuture(
                                new FactoryException(ErrorKind.THROTTLED, "the account makes too many calls"))
                        : CompletableFuture.completedFuture(new Routes(List.of())));
        try (Sources sources = sources(failing)) {
            SourceReply<Routes> failed = sources.ask(Duration.ofHours(1)).get().reply(Routes.class);
            assertThat(failed.state()).isEqualTo(State.FAILED);
            assertThat(failed.code()).isEqualTo("THROTTLED");
            assertThat(failed.why()).isEqualTo("the account makes too many calls");

            assertThat(sources.ask(Duration.ofHours(1))
                            .get()
                            .reply(Routes.class)
                            .known())
                    .isTrue();
        }
    }

    @Test
    void aSourceThatThrowsOrTalksNonsenseIsAFailureAmongTheOthers() throws Exception {
        Source<Routes> nonsense = FakeSource.of(
                "routes",
                Routes.class,
                Duration.ofSeconds(20),
                false,
                () -> CompletableFuture.completedFuture(new Routes(List.of())),
                told -> {
                    throw new IllegalStateException("a route without a device");
                });
        try (Sources sources = sources(nonsense, rules())) {
            Snapshot snapshot = sources.ask(Duration.ZERO).get();
            assertThat(snapshot.reply(Routes.class).why()).isEqualTo("a route without a device");
            assertThat(snapshot.reply(Rules.class).known()).isTrue();
        }
    }

    @Test
    void whatIsDoneWithALateAnswerDelaysNoDeadlineOfTheEngine() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CompletableFuture<Runnable> deadline = new CompletableFuture<>();
        Scheduler engine = new Scheduler() {
            @Override
            public void execute(Runnable task) {
                throw new AssertionError("nothing here is the engine's");
            }

            @Override
            public Cancellable after(Duration delay, Runnable task) {
                deadline.complete(task);
                return () -> {};
            }
        };
        Source<Routes> hanging = source(Duration.ofSeconds(1), false, () -> {
            await(released);
            return CompletableFuture.completedFuture(new Routes(List.of()));
        });
        try (Sources sources = new Sources(List.of(hanging), new SystemTime(), engine)) {
            CompletableFuture<String> worker = sources.ask(Duration.ZERO)
                    .thenApply(snapshot -> Thread.currentThread().getName());
            deadline.get().run();

            assertThat(worker.get()).startsWith("source-");
            released.countDown();
        }
    }

    @Test
    void whatThereIsNotIsAbsentWhateverIsAsked() throws Exception {
        Source<Routes> none = new Source<>(
                "routes",
                Routes.class,
                Duration.ofSeconds(20),
                false,
                () -> Optional.of("this daemon sets no routes"),
                anew -> {
                    throw new AssertionError("there is nobody to ask");
                },
                told -> List.of());
        try (Sources sources = sources(none)) {
            Snapshot snapshot = sources.ask(Duration.ZERO).get();
            assertThat(snapshot.reply(Routes.class).state()).isEqualTo(State.ABSENT);
            assertThat(snapshot.reply(Routes.class).why()).isEqualTo("this daemon sets no routes");
            assertThat(snapshot.reply(Rules.class).state())
                    .as("nobody has heard of it")
                    .isEqualTo(State.ABSENT);
        }
    }

    @Test
    void aSourceThatJoinsIsFoundByWhatItIsAbout() throws Exception {
        Source<Routes> routes = source(
                Duration.ofSeconds(20),
                false,
                () -> CompletableFuture.completedFuture(new Routes(List.of("10.0.1.7 dev calif0"))));
        try (Sources sources = sources(routes)) {
            Snapshot snapshot = sources.ask(Duration.ZERO).get();
            assertThat(snapshot.replies())
                    .flatExtracting(SourceReply::statements)
                    .filteredOn(statement -> statement.about("10.0.1.7"))
                    .extracting(Statement::words)
                    .containsExactly("10.0.1.7 dev calif0");
        }
    }

    private Source<Routes> source(
            Duration patience, boolean costly, Supplier<? extends CompletionStage<Routes>> answer) {
        return FakeSource.of(
                "routes",
                Routes.class,
                patience,
                costly,
                () -> {
                    asked.incrementAndGet();
                    return answer.get();
                },
                told -> told.lines().stream().map(SourcesTest::statement).toList());
    }

    private static Statement statement(String line) {
        return new Statement(
                Statement.Topic.SANDBOX,
                Set.of(line.split(" ")[0]),
                "",
                Optional.empty(),
                Optional.empty(),
                "",
                Optional.empty(),
                line);
    }

    private static Source<Rules> rules() {
        return FakeSource.of(
                "rules",
                Rules.class,
                Duration.ofSeconds(20),
                false,
                () -> CompletableFuture.completedFuture(new Rules(3)),
                told -> List.of());
    }

    private Sources sources(Source<?>... all) {
        return new Sources(List.of(all), new SystemTime(), scheduler);
    }

    /** Waits for a thread to put the question: a busy machine may do so after its deadline. */
    private void hasBegun() {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> asked.get() > 0);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
