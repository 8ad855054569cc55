package io.enipam.pluginhost.extension;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Performer;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.sdk.ledger.PendingEffect.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs the effects of one running part while this host leads: those that have the token, the claim or the key in common one after
 * the other, in the order of their commits, and others at once. Thread-safe.
 *
 * <p>The rows of the ledger are the truth; this is what is under way of them. An effect is taken off when its row is gone, so
 * that one whose end was not written is performed again. {@code this} guards all fields; no call leaves under it.
 */
public final class EffectQueue {
    private static final Logger LOG = LoggerFactory.getLogger(EffectQueue.class);

    /** A part has eight threads for all of its calls, and a call that is refused for want of one counts as a failure. */
    private static final int MOST_CALLS = 6;
    /** Those with them for which the part has returned from the call, and which are not through: requests on their way, as a rule. */
    private static final int MOST_AT_ONCE = 30;

    private static final Duration PERFORM = Duration.ofSeconds(60);
    private static final Backoff BACKOFF =
            Backoff.doubling(Duration.ofMillis(500), Duration.ofMinutes(5)).spread(0.2);

    /** When the rows are read again after a failure, and once more for a commit that a former leader had under way. */
    private static final Duration READ_AGAIN = Duration.ofSeconds(30);

    private final RunningPart part;
    private final Performer performer;
    private final Ledger ledger;
    private final Surroundings on;
    private final Consumer<List<PendingEffect>> follower = this::committed;
    /** What waits, by what effects have in common, in the order of the commits. Holds nothing of a key without effects. */
    private final Map<Object, Deque<Waiting>> lines = new HashMap<>();

    private final Map<String, Waiting> byId = new LinkedHashMap<>();
    private final Map<Cause, List<CompletableFuture<Void>>> watchers = new HashMap<>();
    private final Queue<Waiting> ready = new ArrayDeque<>();
    /** The effects that were taken off while the rows are read: what was read may have them still. */
    private final Set<String> goneMeanwhile = new HashSet<>();

    /** What was committed before the rows were read first: it comes after what they have. */
    private final List<PendingEffect> early = new ArrayList<>();

    private boolean begun;
    private int readers;
    private int underWay;
    /** How many of those the part has not returned from. */
    private int calling;

    private boolean stopped;

    EffectQueue(RunningPart part, Performer performer, Surroundings on) {
        this.part = part;
        this.performer = performer;
        this.ledger = part.host().ledger();
        this.on = on;
    }

    /**
     * What the queues of all parts have in common.
     *
     * @param random spreads the next tries
     * @param spans begins the step of a story, for each time an effect is performed
     */
    record Surroundings(
            Leadership leadership,
            TimeSource time,
            Scheduler engine,
            RandomGenerator random,
            BiFunction<RunningPart, PendingEffect, Span> spans) {}

    /**
     * An effect at one moment.
     *
     * @param id identifies it among all that wait: extension, token and number
     * @param attempts since the part was opened
     * @param failure of the last attempt; empty text if there was none
     * @param nextTry empty while it is performed, or another one comes first
     */
    public record EffectView(
            String plugin,
            String extension,
            String id,
            PendingEffect effect,
            int attempts,
            String failure,
            Optional<Instant> nextTry) {}

    private static final class Waiting {
        private final PendingEffect effect;
        /** READY or beyond: no other effect has to come before. */
        private Phase phase = Phase.BEHIND;

        private int attempts;
        private String failure = "";
        private Optional<Instant> nextTry = Optional.empty();
        private Scheduler.@Nullable Cancellable timer;
        /** Whether the ledger has to be read again when it is taken off. */
        private boolean again;

        Waiting(PendingEffect effect) {
            this.effect = effect;
        }

        /** The token, and the claim or the key if there is one. */
        List<Object> keys() {
            return effect.cause().equals(Cause.NONE)
                    ? List.of(effect.token())
                    : List.of(effect.token(), effect.cause());
        }
    }

    private enum Phase {
        /** Another effect comes first. */
        BEHIND,
        /** It can be performed. */
        READY,
        UNDER_WAY,
        /** It failed, and has a next try. */
        PAUSED
    }

    /** Begins with what waits, and goes on with what commits add. */
    void begin() {
        ledger.follow(follower);
        read();
        on.engine().after(READ_AGAIN, this::read);
    }

    /** Adds what waits by the rows and is not known here. */
    private void read() {
        synchronized (this) {
            if (stopped) {
                return;
            }
            readers++;
        }
        List<PendingEffect> found = List.of();
        boolean read = false;
        try {
            found = ledger.effects();
            read = true;
        } catch (RuntimeException e) {
            LOG.warn(
                    "the effects of extension {} that wait cannot be read; tried again in {}",
                    part.name(),
                    READ_AGAIN,
                    e);
            on.engine().after(READ_AGAIN, this::read);
        }
        synchronized (this) {
            enqueue(found.stream()
                    .filter(effect -> !goneMeanwhile.contains(effect.id()))
                    .toList());
            if (read) {
                begun = true;
                enqueue(early);
                early.clear();
            }
            readers--;
            if (readers == 0) {
                goneMeanwhile.clear();
            }
        }
        pump();
    }

    private void committed(List<PendingEffect> effects) {
        synchronized (this) {
            if (begun) {
                enqueue(effects);
            } else {
                early.addAll(effects);
            }
        }
        pump();
    }

    /** By this. */
    private void enqueue(List<PendingEffect> effects) {
        for (PendingEffect effect : effects) {
            Waiting waiting = new Waiting(effect);
            Waiting known = stopped ? waiting : byId.putIfAbsent(effect.id(), waiting);
            if (known != null) {
                // perhaps its row is gone already, and another one has its number
                known.again |= known.phase == Phase.UNDER_WAY;
            } else {
                waiting.keys()
                        .forEach(key -> lines.computeIfAbsent(key, line -> new ArrayDeque<>())
                                .add(waiting));
                promote(waiting);
            }
        }
    }

    /** By this. */
    private void promote(Waiting waiting) {
        boolean first = waiting.keys().stream().allMatch(key -> lines.get(key).peekFirst() == waiting);
        if (first && waiting.phase == Phase.BEHIND) {
            makeReady(waiting);
        }
    }

    /** By this. */
    private void makeReady(Waiting waiting) {
        waiting.phase = Phase.READY;
        waiting.timer = null;
        ready.add(waiting);
    }

    private void pump() {
        while (true) {
            Waiting next;
            int attempt;
            synchronized (this) {
                if (stopped
                        || calling == MOST_CALLS
                        || underWay == MOST_AT_ONCE
                        || ready.isEmpty()
                        || !on.leadership().leads()) {
                    return;
                }
                next = ready.remove();
                if (byId.get(next.effect.id()) != next) {
                    continue; // it was dropped
                }
                next.phase = Phase.UNDER_WAY;
                next.nextTry = Optional.empty();
                attempt = ++next.attempts;
                underWay++;
                calling++;
            }
            perform(next, attempt);
        }
    }

    private void perform(Waiting next, int attempt) {
        Span span = on.spans().apply(part, next.effect);
        AtomicBoolean called = new AtomicBoolean();
        part.calls()
                .later("perform " + next.effect.handler(), PERFORM, () -> {
                    try {
                        return performer.perform(next.effect.attempt(attempt));
                    } finally {
                        returned(called);
                        on.engine().execute(this::pump);
                    }
                })
                .handle((result, failure) -> failure == null ? result : asFailed(Stages.cause(failure)))
                .thenCompose(result -> result instanceof Failed failed
                        ? CompletableFuture.completedFuture(Optional.of(failed))
                        : takenOff(next))
                .whenComplete((failed, impossible) -> {
                    failed.ifPresentOrElse(why -> span.failed(why.kind().name(), why.message()), span::done);
                    returned(called); // the part was not called, or is late: its thread is not counted then
                    ended(next, failed);
                });
    }

    private synchronized void returned(AtomicBoolean called) {
        if (called.compareAndSet(false, true)) {
            calling--;
        }
    }

    private static EffectResult asFailed(Throwable cause) {
        ErrorKind kind = cause instanceof FactoryException known ? known.kind() : ErrorKind.UNAVAILABLE;
        // a part that throws may do better next time: the caller waits for that
        return Failed.of(kind == ErrorKind.INTERNAL ? ErrorKind.UNAVAILABLE : kind, String.valueOf(cause.getMessage()));
    }

    private CompletableFuture<Optional<Failed>> takenOff(Waiting done) {
        return Stages.call(() -> ledger.forget(done.effect, on.leadership()::leads))
                .handle((gone, failure) -> failure == null
                        ? Optional.<Failed>empty()
                        : Optional.of(Failed.of(
                                ErrorKind.UNAVAILABLE,
                                "it is performed, and that cannot be written: "
                                        + Stages.cause(failure).getMessage())))
                .toCompletableFuture();
    }

    private void ended(Waiting tried, Optional<Failed> failed) {
        List<CompletableFuture<Void>> told = List.of();
        synchronized (this) {
            underWay--;
            if (failed.isEmpty()) {
                told = removed(tried);
            } else if (byId.get(tried.effect.id()) == tried) {
                told = postponed(tried, failed.get());
            }
        }
        complete(told, failed);
        if (tried.again && failed.isEmpty()) {
            read();
        }
        pump();
    }

    /** By this. Returns those that wait no longer. */
    private List<CompletableFuture<Void>> removed(Waiting gone) {
        if (!byId.remove(gone.effect.id(), gone)) {
            return List.of();
        }
        if (readers > 0) {
            goneMeanwhile.add(gone.effect.id());
        }
        for (Object key : gone.keys()) {
            Deque<Waiting> line = lines.get(key);
            line.remove(gone);
            if (line.isEmpty()) {
                lines.remove(key);
            } else {
                promote(line.getFirst());
            }
        }
        return lines.containsKey(gone.effect.cause()) ? List.of() : unwatched(gone);
    }

    /** By this. Returns those that are told of a failure that only a change can end. */
    private List<CompletableFuture<Void>> postponed(Waiting tried, Failed failed) {
        tried.phase = Phase.PAUSED;
        tried.failure = failed.message();
        Duration pause = BACKOFF.pause(tried.attempts, on.random());
        Duration left = failed.retryAfter().compareTo(pause) > 0 ? failed.retryAfter() : pause;
        tried.nextTry = Optional.of(on.time().now().plus(left));
        if (!stopped) {
            tried.timer = on.engine().after(left, () -> retry(tried));
        }
        return failed.kind().transientFailure() ? List.of() : unwatched(tried);
    }

    /** By this. */
    private List<CompletableFuture<Void>> unwatched(Waiting waiting) {
        return Optional.ofNullable(watchers.remove(waiting.effect.cause())).orElse(List.of());
    }

    private static void complete(List<CompletableFuture<Void>> watchers, Optional<Failed> failed) {
        watchers.forEach(watcher -> failed.ifPresentOrElse(
                failure -> watcher.completeExceptionally(Claims.refused(failure.kind(), failure.message())),
                () -> watcher.complete(null)));
    }

    private void retry(Waiting waiting) {
        synchronized (this) {
            if (waiting.phase != Phase.PAUSED || byId.get(waiting.effect.id()) != waiting) {
                return;
            }
            Optional.ofNullable(waiting.timer).ifPresent(Scheduler.Cancellable::cancel);
            makeReady(waiting);
        }
        pump();
    }

    /**
     * When no effect of a claim or a key waits any more.
     *
     * @return fails with {@link IpamException} if one fails in a way that only a change can end, or the part is closed
     */
    synchronized CompletableFuture<Void> settled(Cause cause) {
        if (!lines.containsKey(cause)) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> watcher = new CompletableFuture<>();
        watchers.computeIfAbsent(cause, first -> new ArrayList<>()).add(watcher);
        return watcher;
    }

    /** Whether an effect of a claim or a key waits. */
    synchronized boolean busy(Cause cause) {
        return lines.containsKey(cause);
    }

    synchronized List<EffectView> views() {
        return byId.values().stream()
                .map(waiting -> new EffectView(
                        part.plugin(),
                        part.name(),
                        id(waiting.effect),
                        waiting.effect,
                        waiting.attempts,
                        waiting.failure,
                        waiting.nextTry))
                .toList();
    }

    private String id(PendingEffect effect) {
        return part.name() + "/" + effect.id();
    }

    /** Performs what waits for its next try now, one effect or all. Returns how many. */
    int retry(Optional<String> id) {
        List<Waiting> chosen;
        synchronized (this) {
            chosen = byId.values().stream()
                    .filter(waiting -> waiting.phase == Phase.PAUSED)
                    .filter(waiting -> id.isEmpty() || id.get().equals(id(waiting.effect)))
                    .toList();
        }
        chosen.forEach(this::retry);
        return chosen.size();
    }

    /** Takes an effect off without performing it; completes with whether it was there. */
    CompletableFuture<Boolean> drop(String id) {
        Optional<Waiting> found;
        synchronized (this) {
            found = byId.values().stream()
                    .filter(waiting -> id(waiting.effect).equals(id))
                    .findFirst();
        }
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        Waiting gone = found.get();
        return ledger.forget(gone.effect, on.leadership()::leads)
                .thenApply(done -> {
                    List<CompletableFuture<Void>> told;
                    synchronized (this) {
                        Optional.ofNullable(gone.timer).ifPresent(Scheduler.Cancellable::cancel);
                        told = removed(gone);
                    }
                    complete(told, Optional.empty());
                    pump();
                    return true;
                })
                .toCompletableFuture();
    }

    /** The part is closed, or this host leads no more: nothing more is begun. What waits stays in the ledger. */
    void stop() {
        ledger.unfollow(follower);
        List<CompletableFuture<Void>> told;
        synchronized (this) {
            stopped = true;
            told = watchers.values().stream().flatMap(List::stream).toList();
            watchers.clear();
            byId.values()
                    .forEach(waiting -> Optional.ofNullable(waiting.timer).ifPresent(Scheduler.Cancellable::cancel));
        }
        told.forEach(watcher -> watcher.completeExceptionally(new IpamException(
                ErrorCode.TRY_AGAIN, "extension " + part.name() + " was stopped", "try again when it runs")));
    }
}
