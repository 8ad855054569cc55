package io.enipam.examples.resilient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ResilientFactoryTest {
    @Nested
    class TheRateLimit {
        @Test
        void letsABurstThroughInOneCallAndTellsTheRestWhenToComeBack() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture("creates_per_second=2", "burst=3");
            List<CompletableFuture<CreateResult>> asked = wrapped.ask(5);
            assertThat(wrapped.inner.batches).containsExactly(3);
            assertThat(asked.subList(0, 3)).noneMatch(CompletableFuture::isDone);
            assertThat(waits(asked.subList(3, 5))).containsExactly(Duration.ofMillis(500), Duration.ofSeconds(1));
        }

        @Test
        void letsOneThroughAsSoonAsItsTimeHasCome() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture("creates_per_second=2", "burst=1");
            wrapped.ask(1);
            Failed refused = wrapped.refused();
            assertThat(refused.kind()).isEqualTo(ErrorKind.THROTTLED);
            wrapped.clock.move(refused.retryAfter().minusMillis(1));
            assertThat(wrapped.refused().retryAfter()).isEqualTo(Duration.ofMillis(1));
            wrapped.clock.move(Duration.ofMillis(1));
            assertThat(wrapped.askOne()).isNotDone();
            assertThat(wrapped.inner.creates).hasSize(2);
        }

        @Test
        void fillsUpToTheBurstAndNoFurther() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture("creates_per_second=10", "burst=4");
            wrapped.ask(4);
            wrapped.clock.move(Duration.ofHours(1));
            wrapped.ask(9);
            assertThat(wrapped.inner.batches).containsExactly(4, 4);
        }

        @Test
        void isNotStoppedByAClockThatIsSetBack() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture("creates_per_second=1", "burst=1");
            wrapped.ask(1);
            wrapped.clock.move(Duration.ofHours(-1));
            assertThat(wrapped.refused().retryAfter()).isEqualTo(Duration.ofSeconds(1));
            wrapped.clock.move(Duration.ofSeconds(1));
            assertThat(wrapped.askOne()).isNotDone();
        }

        @Test
        void canBeSlowerThanOneASecond() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture("creates_per_second=0.05", "burst=1");
            wrapped.ask(1);
            assertThat(wrapped.refused().retryAfter()).isEqualTo(Duration.ofSeconds(20));
        }

        private List<Duration> waits(List<CompletableFuture<CreateResult>> refused) {
            return refused.stream()
                    .map(stage -> ((Failed) stage.getNow(null)).retryAfter())
                    .toList();
        }
    }

    @Nested
    class TheBreaker {
        /** What is told is a moment more than what is configured, so that who comes then is let through. */
        private static final Duration OPEN = Duration.ofMillis(30_001);

        private final ResilientFactoryFixture wrapped =
                new ResilientFactoryFixture("window=10", "least_calls=4", "failure_rate=50", "open_for=30s", "trials=2", "burst=1000");

        @Test
        void opensAtTheFailureRateAndTellsWhenToComeBackAndWhatWentWrong() {
            answered(ErrorKind.UNAVAILABLE, 2);
            made(1);
            assertThat(wrapped.state()).containsEntry("breaker", "CLOSED");
            made(1);
            Failed refused = wrapped.refused();
            assertThat(refused.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
            assertThat(refused.retryAfter()).isEqualTo(OPEN);
            assertThat(refused.message()).contains("eni-ip", "OPEN", "no reason");
            assertThat(wrapped.inner.creates).hasSize(4);
            wrapped.clock.move(Duration.ofSeconds(12));
            assertThat(wrapped.refused().retryAfter()).isEqualTo(OPEN.minusSeconds(12));
        }

        @Test
        void staysClosedBelowTheFailureRate() {
            made(6);
            answered(ErrorKind.UNAVAILABLE, 4);
            assertThat(wrapped.state()).containsEntry("breaker", "CLOSED").containsEntry("failure rate", "40 %");
        }

        @ParameterizedTest
        @EnumSource(
                value = ErrorKind.class,
                names = {"UNAVAILABLE", "THROTTLED", "DEADLINE_EXCEEDED", "INTERNAL"})
        void countsWhatAnotherTryWouldMeet(ErrorKind kind) {
            answered(kind, 4);
            assertThat(wrapped.state()).containsEntry("breaker", "OPEN");
        }

        @ParameterizedTest
        @EnumSource(
                value = ErrorKind.class,
                names = {"UNAVAILABLE", "THROTTLED", "DEADLINE_EXCEEDED", "INTERNAL"},
                mode = EnumSource.Mode.EXCLUDE)
        void doesNotCountWhatAWellProviderSays(ErrorKind kind) {
            answered(kind, 20);
            assertThat(wrapped.state()).containsEntry("breaker", "CLOSED").containsEntry("failure rate", "0 %");
        }

        @Test
        void closesWhenTheTrialsSucceed() {
            answered(ErrorKind.UNAVAILABLE, 4);
            wrapped.clock.move(OPEN);
            made(2);
            assertThat(wrapped.state()).containsEntry("breaker", "CLOSED");
            made(5);
        }

        @Test
        void opensAgainWhenATrialFails() {
            answered(ErrorKind.UNAVAILABLE, 4);
            wrapped.clock.move(OPEN);
            answered(ErrorKind.UNAVAILABLE, 2);
            assertThat(wrapped.refused().retryAfter()).isEqualTo(OPEN);
        }

        @Test
        void letsNoMoreThroughThanItsTrials() {
            answered(ErrorKind.UNAVAILABLE, 4);
            wrapped.clock.move(OPEN);
            List<CompletableFuture<CreateResult>> asked = wrapped.ask(5);
            assertThat(wrapped.inner.creates).hasSize(6);
            assertThat(asked.subList(2, 5))
                    .allSatisfy(stage -> assertThat(((Failed) stage.getNow(null)).retryAfter())
                            .isEqualTo(Duration.ofSeconds(1)));
        }

        @Test
        void opensOnAProviderThatHangs() {
            wrapped.ask(4);
            wrapped.clock.move(ResilientFactoryFixture.DEADLINE);
            Failed refused = wrapped.refused();
            assertThat(refused.message()).contains("DEADLINE_EXCEEDED");
            assertThat(wrapped.state()).containsEntry("breaker", "OPEN").containsEntry("under way", "0");
        }

        @Test
        void isNotStuckWhenItsTrialsHang() {
            answered(ErrorKind.UNAVAILABLE, 4);
            wrapped.clock.move(OPEN);
            wrapped.ask(2);
            wrapped.clock.move(ResilientFactoryFixture.DEADLINE);
            assertThat(wrapped.refused().retryAfter()).isEqualTo(OPEN);
            wrapped.clock.move(OPEN);
            made(2);
            assertThat(wrapped.state()).containsEntry("breaker", "CLOSED");
        }

        @Test
        void takesNoTokenFromTheRateLimit() {
            answered(ErrorKind.UNAVAILABLE, 4);
            String before = wrapped.state().get("tokens left");
            wrapped.refused();
            assertThat(wrapped.state())
                    .containsEntry("tokens left", before)
                    .containsEntry("refused by the breaker", "1");
        }

        @Test
        void neverRefusesADisposal() {
            answered(ErrorKind.UNAVAILABLE, 4);
            Resource resource = wrapped.inner.resource("10.0.0.7");
            var stage = wrapped.factory.dispose(List.of(resource)).get(0).toCompletableFuture();
            wrapped.inner.disposals.get(0).complete(ScriptedFactory.gone(resource));
            assertThat(stage).isCompletedWithValue(ScriptedFactory.gone(resource));
        }

        private void answered(ErrorKind kind, int times) {
            wrapped.inner.answer = request -> Failed.of(kind, "no reason");
            for (int i = 0; i < times; i++) {
                assertThat(wrapped.refused().kind()).isEqualTo(kind);
            }
            wrapped.inner.answer = request -> null;
        }

        private void made(int times) {
            wrapped.inner.answer = request -> new Created(wrapped.inner.resource("10.0.0.9"));
            for (int i = 0; i < times; i++) {
                assertThat(wrapped.askOne().getNow(null)).isInstanceOf(Created.class);
            }
            wrapped.inner.answer = request -> null;
        }
    }

    @Nested
    class WhatIsWrapped {
        @Test
        void tellsALateCreateToWhoeverStillListens() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture();
            CompletableFuture<CreateResult> asked = wrapped.askOne();
            wrapped.clock.move(ResilientFactoryFixture.DEADLINE.multipliedBy(3));
            wrapped.ask(1);
            Created late = new Created(wrapped.inner.resource("10.0.0.7"));
            wrapped.inner.creates.get(0).complete(late);
            assertThat(asked).isCompletedWithValue(late);
            assertThat(wrapped.state())
                    .containsEntry("answered after the deadline", "1")
                    .containsEntry("created", "1");
        }

        @Test
        void tellsALateCreateEvenAfterTheClose() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture();
            CompletableFuture<CreateResult> asked = wrapped.askOne();
            wrapped.factory.close();
            Created late = new Created(wrapped.inner.resource("10.0.0.7"));
            wrapped.inner.creates.get(0).complete(late);
            assertThat(asked).isCompletedWithValue(late);
        }

        @Test
        void mayThrow() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture();
            wrapped.inner.answer = request -> {
                throw new FactoryException(ErrorKind.UNAUTHORIZED, "no such key");
            };
            assertThat(wrapped.refused()).isEqualTo(Failed.of(ErrorKind.UNAUTHORIZED, "no such key"));
            wrapped.inner.answer = request -> {
                throw new IllegalStateException("oops");
            };
            assertThat(wrapped.refused().kind()).isEqualTo(ErrorKind.INTERNAL);
        }

        @Test
        void mayAnswerExceptionallyOrWithNothing() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture();
            List<CompletableFuture<CreateResult>> asked = wrapped.ask(2);
            wrapped.inner.creates.get(0).completeExceptionally(new FactoryException(ErrorKind.CONFLICT, "busy"));
            wrapped.inner.creates.get(1).complete(null);
            assertThat(asked.get(0)).isCompletedWithValue(Failed.of(ErrorKind.CONFLICT, "busy"));
            assertThat(((Failed) asked.get(1).getNow(null)).kind()).isEqualTo(ErrorKind.INTERNAL);
        }

        @Test
        void isClosedOnceByTheCloseAndNeverAskedAgain() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture();
            wrapped.factory.close();
            wrapped.factory.close();
            assertThat(wrapped.inner.closed).isEqualTo(1);
            assertThat(wrapped.refused().kind()).isEqualTo(ErrorKind.UNAVAILABLE);
            assertThat(wrapped.factory.list().toCompletableFuture()).isCompletedExceptionally();
            assertThat(wrapped.inner.creates).isEmpty();
            assertThat(wrapped.inner.lists).isEmpty();
        }

        @Test
        void isFoundByItsName() {
            assertThat(new ResilientFactoryFixture("wraps=other").state()).containsEntry("wraps", "other");
            assertThatThrownBy(() -> new ResilientFactoryFixture("wraps=nobody")).hasMessageContaining("no factory 'nobody'");
            assertThatThrownBy(() -> new ResilientFactoryFixture("wraps=resilient")).hasMessageContaining("cannot wrap itself");
        }

        @Test
        void lendsItsCapabilitiesAndTheBurstBoundsABatch() {
            ResilientFactoryFixture wrapped = new ResilientFactoryFixture("burst=4");
            assertThat(wrapped.factory.capabilities()).isEqualTo(new Capabilities(Set.of(Family.IPV4), 100, 4, true));
            assertThat(wrapped.factory.kind().name()).isEqualTo("scripted");
            wrapped.inner.capabilities = new Capabilities(Set.of(Family.IPV6), 7, 2, false);
            wrapped.factory.list();
            wrapped.inner.lists.get(0).complete(List.of());
            assertThat(wrapped.factory.capabilities()).isEqualTo(wrapped.inner.capabilities);
        }
    }

    @Nested
    class TheSharedList {
        private final ResilientFactoryFixture wrapped = new ResilientFactoryFixture("list_max_age=1s");
        private final List<Resource> some = List.of(wrapped.inner.resource("10.0.0.7"));

        @Test
        void asksTheProviderOnceForAllWhoAskTogether() {
            var first = list();
            var second = list();
            assertThat(wrapped.inner.lists).hasSize(1);
            wrapped.inner.lists.get(0).complete(some);
            assertThat(first).isCompletedWithValue(some);
            assertThat(second).isCompletedWithValue(some);
            assertThat(list()).isCompletedWithValue(some);
            assertThat(wrapped.state())
                    .containsEntry("lists asked for", "3")
                    .containsEntry("lists asked of the provider", "1");
        }

        @Test
        void asksAgainWhenTheAnswerIsOld() {
            list();
            wrapped.inner.lists.get(0).complete(some);
            wrapped.clock.move(Duration.ofSeconds(1));
            assertThat(list()).isNotDone();
            assertThat(wrapped.inner.lists).hasSize(2);
        }

        @Test
        void asksAgainWhenTheFirstQuestionHangs() {
            list();
            wrapped.clock.move(Duration.ofSeconds(1));
            var second = list();
            wrapped.inner.lists.get(1).complete(some);
            assertThat(second).isCompletedWithValue(some);
        }

        @Test
        void asksAgainAfterACreateBeganAndAfterItEnded() {
            list();
            wrapped.inner.lists.get(0).complete(List.of());
            wrapped.ask(1);
            list();
            assertThat(wrapped.inner.lists).as("the create is under way").hasSize(2);
            wrapped.inner.lists.get(1).complete(List.of());
            wrapped.inner.creates.get(0).complete(new Created(some.get(0)));
            var after = list();
            assertThat(wrapped.inner.lists).as("the create is done").hasSize(3);
            wrapped.inner.lists.get(2).complete(some);
            assertThat(after).isCompletedWithValue(some);
        }

        @Test
        void asksAgainAfterADisposal() {
            list();
            wrapped.inner.lists.get(0).complete(some);
            wrapped.factory.dispose(some);
            wrapped.inner.disposals.get(0).complete(ScriptedFactory.gone(some.get(0)));
            assertThat(list()).isNotDone();
        }

        @Test
        void neverAnswersFromBeforeAFailure() {
            list();
            wrapped.inner.lists.get(0).complete(some);
            wrapped.clock.move(Duration.ofSeconds(2));
            var failing = list();
            var beside = list();
            wrapped.inner.lists.get(1).completeExceptionally(new FactoryException(ErrorKind.UNAVAILABLE, "down"));
            for (var each : List.of(failing, beside)) {
                assertThatThrownBy(each::get)
                        .cause()
                        .isInstanceOf(FactoryException.class)
                        .hasMessage("down");
            }
            assertThat(list()).as("a failure is not kept either").isNotDone();
        }

        @Test
        void oneCallersCancellationIsItsOwn() {
            var first = list();
            var second = list();
            first.cancel(true);
            wrapped.inner.lists.get(0).complete(some);
            assertThat(second).isCompletedWithValue(some);
        }

        @Test
        void isOffWithAnAgeOfZero() {
            ResilientFactoryFixture unshared = new ResilientFactoryFixture("list_max_age=0s");
            unshared.factory.list();
            unshared.factory.list();
            assertThat(unshared.inner.lists).hasSize(2);
        }

        private CompletableFuture<List<Resource>> list() {
            return wrapped.factory.list().toCompletableFuture();
        }
    }

    @Test
    void theStateOfAFactoryThatIsNotOpenSaysHowToOpenIt() {
        ResilientFactoryFixture wrapped = new ResilientFactoryFixture();
        wrapped.factory.close();
        assertThatThrownBy(wrapped::state).hasMessageContaining("plugin swap factory resilient");
    }
}
