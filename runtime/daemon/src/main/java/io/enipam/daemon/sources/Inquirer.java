package io.enipam.daemon.sources;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.FactoryException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks one source, one question at a time, and keeps the last answer of a costly one.
 *
 * <p>A question that is under way is joined by those who may have an answer as old as its beginning; others wait for its end,
 * within their patience, and ask anew. So a source that hangs has one question and one thread, however many ask. Thread-safe;
 * {@code this} guards the fields, and nothing is asked or completed under it.
 */
final class Inquirer<T> {
    private final Source<T> source;
    private final TimeSource time;
    private final Scheduler scheduler;
    private final Executor threads;

    @GuardedBy("this")
    private Optional<Question<T>> underWay = Optional.empty();

    @GuardedBy("this")
    private Optional<Kept<T>> kept = Optional.empty();

    Inquirer(Source<T> source, TimeSource time, Scheduler scheduler, Executor threads) {
        this.source = source;
        this.time = time;
        this.scheduler = scheduler;
        this.threads = threads;
    }

    /** A question that has no answer yet. It completes well in any case. */
    private record Question<T>(Instant at, long nanos, CompletableFuture<Account<T>> account) {}

    private record Kept<T>(long nanos, Account<T> account) {}

    Class<T> type() {
        return source.type();
    }

    /** Completes within the source's patience, and never fails. */
    CompletableFuture<Account<T>> account(Duration age) {
        Instant now = time.now();
        Optional<String> absent = source.absent();
        if (absent.isPresent()) {
            return CompletableFuture.completedFuture(Account.absent(source.name(), now, absent.get()));
        }
        long begun = time.nanoTime();
        long notBefore = begun - (source.costly() ? age : Duration.ZERO).toNanos();
        return Stages.within(
                        answer(notBefore),
                        source.patience(),
                        scheduler,
                        () -> new TimeoutException(
                                "no answer within " + source.patience().toMillis() + " ms"))
                .exceptionally(error -> failed(now, begun, Stages.cause(error)));
    }

    /** @param notBefore {@code nanoTime}: an answer to a question asked before is too old */
    private CompletableFuture<Account<T>> answer(long notBefore) {
        Question<T> question;
        synchronized (this) {
            if (kept.isPresent() && kept.get().nanos() - notBefore >= 0) {
                return CompletableFuture.completedFuture(kept.get().account());
            }
            if (underWay.isPresent()) {
                Question<T> before = underWay.get();
                return before.nanos() - notBefore >= 0
                        ? before.account()
                        : before.account().thenCompose(old -> answer(notBefore));
            }
            question = new Question<>(time.now(), time.nanoTime(), new CompletableFuture<>());
            underWay = Optional.of(question);
        }
        put(question);
        return question.account();
    }

    private void put(Question<T> question) {
        try {
            threads.execute(() -> Stages.call(source::ask).whenComplete((told, error) -> ended(question, told, error)));
        } catch (RejectedExecutionException e) {
            ended(question, null, e);
        }
    }

    private void ended(Question<T> question, @Nullable T told, @Nullable Throwable error) {
        Account<T> account;
        try {
            account = told != null && error == null
                    ? Account.known(source, question.at(), Duration.ofNanos(time.nanoTime() - question.nanos()), told)
                    : failed(
                            question.at(),
                            question.nanos(),
                            error == null ? new NullPointerException("no answer at all") : Stages.cause(error));
        } catch (RuntimeException e) {
            // what it told made no sense
            account = failed(question.at(), question.nanos(), e);
        }
        synchronized (this) {
            underWay = Optional.empty();
            if (source.costly() && account.known()) {
                kept = Optional.of(new Kept<>(question.nanos(), account));
            } else if (!notAsked(error)) {
                kept = Optional.empty();
            }
        }
        question.account().complete(account);
    }

    /** What is refused to who asks too often says nothing about the source, and nothing against its last answer. */
    private static boolean notAsked(@Nullable Throwable error) {
        return error != null
                && Stages.cause(error) instanceof IpamException refusal
                && refusal.code() == ErrorCode.TRY_AGAIN;
    }

    private Account<T> failed(Instant at, long begun, Throwable cause) {
        String code = "FAILED";
        if (cause instanceof TimeoutException) {
            code = "TIMEOUT";
        } else if (cause instanceof FactoryException known) {
            code = known.kind().name();
        } else if (cause instanceof IpamException known) {
            code = known.code().name();
        }
        String why = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return Account.failed(source.name(), at, Duration.ofNanos(time.nanoTime() - begun), code, why);
    }
}
