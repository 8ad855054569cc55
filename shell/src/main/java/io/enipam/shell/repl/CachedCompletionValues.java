package io.enipam.shell.repl;

import io.enipam.shell.core.CompletionKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Live values that never keep TAB waiting: they are asked for in the background, and what is late is there the next
 * time. Thread-safe.
 */
final class CachedCompletionValues implements CompletionValues {
    /** The longest that TAB may hang. */
    static final Duration PATIENCE = Duration.ofMillis(400);

    /** For how long an answer is good enough not to ask again: TAB is pressed several times for one word. */
    private static final Duration FRESH = Duration.ofSeconds(2);

    /** How many answers are kept: a session may last for weeks. */
    private static final int MOST = 500;

    private record Question(CompletionKind kind, List<String> before) {}

    private record Answer(List<Value> values, long at) {}

    private record Pending(CompletableFuture<List<Value>> answer, long since) {}

    private final CompletionValues source;
    private final Executor background;
    private final LongSupplier nanos;
    private final Map<Question, Answer> answers = new ConcurrentHashMap<>();
    private final Map<Question, Pending> asked = new ConcurrentHashMap<>();
    private volatile long oldest;

    /** @param source may be slow and may throw; {@code nanos} is a clock that never goes back */
    CachedCompletionValues(CompletionValues source, Executor background, LongSupplier nanos) {
        this.source = source;
        this.background = background;
        this.nanos = nanos;
        this.oldest = nanos.getAsLong() - 1;
    }

    /** A command has run, so that what is known may be no more: the next one asks again. */
    void expire() {
        oldest = nanos.getAsLong();
    }

    @Override
    public List<Value> of(CompletionKind kind, List<String> before) {
        Question question = new Question(kind, List.copyOf(before));
        Optional<Answer> known = Optional.ofNullable(answers.get(question));
        if (known.filter(this::fresh).isPresent()) {
            return known.get().values();
        }
        return waited(question).or(() -> known.map(Answer::values)).orElse(List.of());
    }

    private boolean fresh(Answer answer) {
        return answer.at() - oldest > 0 && nanos.getAsLong() - answer.at() < FRESH.toNanos();
    }

    private Optional<List<Value>> waited(Question question) {
        try {
            Pending pending = asked.computeIfAbsent(question, this::ask);
            long left = PATIENCE.toNanos() - (nanos.getAsLong() - pending.since());
            return Optional.of(pending.answer().get(Math.max(0, left), TimeUnit.NANOSECONDS));
        } catch (TimeoutException | ExecutionException | RejectedExecutionException noAnswer) {
            return Optional.empty(); // a completion that fails is no completion; the command itself says what is wrong
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private Pending ask(Question question) {
        long since = nanos.getAsLong();
        CompletableFuture<List<Value>> answer = new CompletableFuture<>();
        background.execute(() -> {
            @Nullable Throwable failure = null;
            List<Value> values = List.of();
            try {
                values = source.of(question.kind(), question.before());
                if (answers.size() >= MOST) {
                    answers.clear();
                }
                answers.put(question, new Answer(values, since));
            } catch (RuntimeException e) {
                failure = e;
            }
            asked.remove(question);
            if (failure == null) {
                answer.complete(values);
            } else {
                answer.completeExceptionally(failure);
            }
        });
        return new Pending(answer, since);
    }
}
