package io.enipam.diagnostics.sources;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks one source, one question at a time, and keeps the last answer of a costly one.
 *
 * <p>Callers that accept an answer as old as the beginning of the question under way join it; others wait for its end,
 * within their patience, and ask anew. So a source that hangs has one question and one thread, however many ask. The
 * patience with a question runs from its beginning: a caller that comes to one that has been waited out already gets
 * the timeout at once. A question whose answer is pending and has not come in {@value #PROMISE} minutes is given up,
 * and the source may be asked again.
 *
 * <p>Thread-safe; {@code this} guards the fields, and nothing is asked or completed under it.
 */
final class SourceClient<T> {
    /** Minutes: longer than any answer takes. */
    private static final int PROMISE = 2;

    private final Source<T> source;
    private final TimeSource time;
    private final Scheduler scheduler;
    private final Executor threads;

    @GuardedBy("this")
    private Optional<Question<T>> underWay = Optional.empty();

    @GuardedBy("this")
    private Optional<Kept<T>> kept = Optional.empty();

    SourceClient(Source<T> source, TimeSource time, Scheduler scheduler, Executor threads) {
        this.source = source;
        this.time = time;
        this.scheduler = scheduler;
        this.threads = threads;
    }

    /** A question that has no answer yet. It completes well in any case. */
    private record Question<T>(Instant at, long nanos, boolean anew, CompletableFuture<SourceReply<T>> reply) {}

    private record Kept<T>(long nanos, SourceReply<T> reply) {}

    Class<T> type() {
        return source.type();
    }

    /** Completes within the source's patience, and never fails. */
    CompletableFuture<SourceReply<T>> reply(Duration age) {
        Instant now = time.now();
        Optional<String> absent = source.absent().get();
        if (absent.isPresent()) {
            return CompletableFuture.completedFuture(SourceReply.absent(source.name(), now, absent.get()));
        }
        long begun = time.nanoTime();
        long notBefore = begun - (source.costly() ? age : Duration.ZERO).toNanos();
        boolean anew = age.compareTo(Sources.ANEW) <= 0;
        return Stages.within(answer(notBefore, anew), source.patience(), scheduler, this::late)
                .exceptionally(error -> failed(now, begun, Stages.cause(error)));
    }

    private TimeoutException late() {
        return new TimeoutException("no answer within " + source.patience().toMillis() + " ms");
    }

    /** @param notBefore {@code nanoTime}: an answer to a question asked before is too old */
    private CompletableFuture<SourceReply<T>> answer(long notBefore, boolean anew) {
        Question<T> question;
        Question<T> before;
        synchronized (this) {
            if (kept.isPresent() && kept.get().nanos() - notBefore >= 0) {
                return CompletableFuture.completedFuture(kept.get().reply());
            }
            before = underWay.orElse(null);
            question = new Question<>(time.now(), time.nanoTime(), anew, new CompletableFuture<>());
            if (before == null) {
                underWay = Optional.of(question);
            }
        }
        if (before != null) {
            CompletableFuture<SourceReply<T>> reply = joined(before);
            return before.nanos() - notBefore >= 0 ? reply : reply.thenCompose(old -> answer(notBefore, anew));
        }
        put(question);
        return question.reply();
    }

    /** The reply of a question that others have waited for already. */
    private CompletableFuture<SourceReply<T>> joined(Question<T> question) {
        Duration left = source.patience().minusNanos(time.nanoTime() - question.nanos());
        if (!question.reply().isDone() && (left.isZero() || left.isNegative())) {
            return CompletableFuture.failedFuture(late());
        }
        return Stages.within(question.reply(), left, scheduler, this::late);
    }

    private void put(Question<T> question) {
        try {
            threads.execute(() -> ask(question));
        } catch (RejectedExecutionException e) {
            ended(question, null, e);
        }
    }

    /** While it has not returned, the question stays under way: another would hang as well, on one more thread. */
    private void ask(Question<T> question) {
        CompletionStage<T> promised;
        try {
            promised = Stages.call(() -> source.ask().apply(question.anew()));
        } catch (Error e) {
            ended(question, null, e);
            return;
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        answer.whenComplete((told, error) -> ended(question, told, error));
        promised.whenComplete((told, error) -> {
            if (error == null) {
                answer.complete(told);
            } else {
                answer.completeExceptionally(Stages.cause(error));
            }
        });
        answer.orTimeout(PROMISE, TimeUnit.MINUTES);
    }

    private void ended(Question<T> question, @Nullable T told, @Nullable Throwable error) {
        SourceReply<T> reply;
        try {
            reply = told != null && error == null
                    ? SourceReply.known(
                            source, question.at(), Duration.ofNanos(time.nanoTime() - question.nanos()), told)
                    : failed(
                            question.at(),
                            question.nanos(),
                            error == null ? new NullPointerException("no answer at all") : Stages.cause(error));
        } catch (RuntimeException | Error e) {
            // its answer was invalid
            reply = failed(question.at(), question.nanos(), e);
        }
        synchronized (this) {
            underWay = Optional.empty();
            if (source.costly() && reply.known()) {
                kept = Optional.of(new Kept<>(question.nanos(), reply));
            } else if (!notAsked(error)) {
                kept = Optional.empty();
            }
        }
        question.reply().complete(reply);
    }

    /** A refusal because of too many questions says nothing about the source, and nothing against its last answer. */
    private static boolean notAsked(@Nullable Throwable error) {
        return error != null
                && Stages.cause(error) instanceof IpamException refusal
                && refusal.code() == ErrorCode.TRY_AGAIN;
    }

    private SourceReply<T> failed(Instant at, long begun, Throwable cause) {
        String code = "FAILED";
        if (cause instanceof TimeoutException) {
            code = "TIMEOUT";
        } else if (cause instanceof FactoryException known) {
            code = known.kind().name();
        } else if (cause instanceof IpamException known) {
            code = known.code().name();
        }
        String why = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return SourceReply.failed(source.name(), at, Duration.ofNanos(time.nanoTime() - begun), code, why);
    }
}
