package io.enipam.pluginhost.extension;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Performer;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.ledger.PendingEffect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Performs the effects of one running part: those of one order one after the other, of several orders at once. Thread-safe.
 *
 * <p>The rows of the ledger are the truth; this is what is under way of them. An effect is taken off when its row is gone, so
 * that one whose end was not written is performed again. {@code this} guards all fields; no call leaves under it.
 */
public final class EffectQueue {
    /** A part has eight threads for all of its calls, and a call that is refused for want of one counts as a failure. */
    private static final int MOST_AT_ONCE = 6;

    private static final Duration PERFORM = Duration.ofSeconds(60);
    private static final Backoff BACKOFF =
            Backoff.doubling(Duration.ofMillis(500), Duration.ofMinutes(5)).spread(0.2);

    private final RunningPart part;
    private final Performer performer;
    private final Ledger ledger;
    private final TimeSource time;
    private final Scheduler engine;
    private final RandomGenerator random;
    private final Map<String, Order> orders = new LinkedHashMap<>();
    /** Orders whose first effect can be performed now. */
    private final Queue<Order> ready = new ArrayDeque<>();

    private int underWay;
    private boolean stopped;

    EffectQueue(
            RunningPart part,
            Performer performer,
            Ledger ledger,
            TimeSource time,
            Scheduler engine,
            RandomGenerator random) {
        this.part = part;
        this.performer = performer;
        this.ledger = ledger;
        this.time = time;
        this.engine = engine;
        this.random = random;
    }

    /**
     * An effect at one moment.
     *
     * @param id identifies it among all that wait: extension, claim or token, and number
     * @param attempts since the part was opened
     * @param failure of the last attempt; empty text if there was none
     * @param nextTry empty while it is performed, or another one of its order comes first
     */
    public record EffectView(
            String plugin,
            String extension,
            String id,
            PendingEffect effect,
            int attempts,
            String failure,
            Optional<Instant> nextTry) {}

    /** Effects that have to be performed one after the other. By the queue. */
    private static final class Order {
        private final String name;
        private final NavigableMap<Long, Waiting> waiting = new TreeMap<>();
        private final List<CompletableFuture<Void>> watchers = new ArrayList<>();
        private Scheduler.@Nullable Cancellable timer;
        private boolean busy;

        Order(String name) {
            this.name = name;
        }
    }

    private static final class Waiting {
        private final PendingEffect effect;
        private int attempts;
        private String failure = "";
        private Optional<Instant> nextTry = Optional.empty();

        Waiting(PendingEffect effect) {
            this.effect = effect;
        }
    }

    /** Begins with what waits, and goes on with what commits add. */
    void begin() {
        ledger.follow(this::add);
        add(ledger.effects());
    }

    private void add(List<PendingEffect> effects) {
        synchronized (this) {
            for (PendingEffect effect : effects) {
                Order order = orders.computeIfAbsent(effect.order(), Order::new);
                boolean idle = order.waiting.isEmpty();
                order.waiting.putIfAbsent(effect.number(), new Waiting(effect));
                if (idle) {
                    makeReady(order);
                }
            }
        }
        pump();
    }

    /** By this. */
    private void makeReady(Order order) {
        order.busy = true;
        order.timer = null;
        ready.add(order);
    }

    private void pump() {
        while (true) {
            Waiting next;
            Order order;
            synchronized (this) {
                if (stopped || underWay == MOST_AT_ONCE || ready.isEmpty()) {
                    return;
                }
                order = ready.remove();
                next = order.waiting.firstEntry().getValue();
                next.attempts++;
                next.nextTry = Optional.empty();
                underWay++;
            }
            perform(order, next);
        }
    }

    private void perform(Order order, Waiting next) {
        part.calls()
                .later(
                        "perform " + next.effect.handler(),
                        PERFORM,
                        () -> performer.perform(next.effect.attempt(next.attempts)))
                .handle((result, failure) -> failure == null ? result : asFailed(Stages.cause(failure)))
                .thenCompose(result -> result instanceof Failed failed
                        ? CompletableFuture.completedFuture(Optional.of(failed))
                        : takenOff(next))
                .whenComplete((failed, impossible) -> ended(order, next, failed));
    }

    private static EffectResult asFailed(Throwable cause) {
        ErrorKind kind = cause instanceof FactoryException known ? known.kind() : ErrorKind.UNAVAILABLE;
        // a part that throws may do better next time: the caller waits for that
        return Failed.of(kind == ErrorKind.INTERNAL ? ErrorKind.UNAVAILABLE : kind, String.valueOf(cause.getMessage()));
    }

    private CompletableFuture<Optional<Failed>> takenOff(Waiting done) {
        return Stages.call(() -> ledger.forget(done.effect))
                .handle((gone, failure) -> failure == null
                        ? Optional.<Failed>empty()
                        : Optional.of(Failed.of(
                                ErrorKind.UNAVAILABLE,
                                "it is performed, and that cannot be written: "
                                        + Stages.cause(failure).getMessage())))
                .toCompletableFuture();
    }

    private void ended(Order order, Waiting tried, Optional<Failed> failed) {
        List<CompletableFuture<Void>> told = List.of();
        synchronized (this) {
            underWay--;
            boolean dropped = !order.waiting.containsKey(tried.effect.number());
            if (failed.isPresent() && !dropped) {
                told = postponed(order, tried, failed.get());
            } else {
                order.waiting.remove(tried.effect.number());
                told = next(order);
            }
        }
        complete(told, failed);
        pump();
    }

    /** By this. Returns those that wait no longer. */
    private List<CompletableFuture<Void>> next(Order order) {
        order.busy = false;
        if (!order.waiting.isEmpty()) {
            makeReady(order);
            return List.of();
        }
        orders.remove(order.name);
        return List.copyOf(order.watchers);
    }

    /** By this. Returns those that are told of a failure that only a change can end. */
    private List<CompletableFuture<Void>> postponed(Order order, Waiting tried, Failed failed) {
        order.busy = false;
        tried.failure = failed.message();
        Duration pause = BACKOFF.pause(tried.attempts, random);
        Duration least = failed.retryAfter();
        Duration left = least.compareTo(pause) > 0 ? least : pause;
        tried.nextTry = Optional.of(time.now().plus(left));
        if (!stopped) {
            order.timer = engine.after(left, () -> retry(order));
        }
        if (failed.kind().transientFailure()) {
            return List.of();
        }
        List<CompletableFuture<Void>> watchers = List.copyOf(order.watchers);
        order.watchers.clear();
        return watchers;
    }

    private void complete(List<CompletableFuture<Void>> watchers, Optional<Failed> failed) {
        watchers.forEach(watcher -> failed.ifPresentOrElse(
                failure -> watcher.completeExceptionally(Claims.refused(failure.kind(), failure.message())),
                () -> watcher.complete(null)));
    }

    private void retry(Order order) {
        synchronized (this) {
            if (order.timer == null || order.busy || order.waiting.isEmpty()) {
                return;
            }
            order.timer.cancel();
            makeReady(order);
        }
        pump();
    }

    /**
     * When no effect of an order waits any more.
     *
     * @return fails with {@link IpamException} if one fails in a way that only a change can end, or the part is closed
     */
    synchronized CompletableFuture<Void> settled(String name) {
        Order order = orders.get(name);
        if (order == null) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> watcher = new CompletableFuture<>();
        order.watchers.add(watcher);
        return watcher;
    }

    /** Whether an effect of an order waits. */
    synchronized boolean busy(String name) {
        return orders.containsKey(name);
    }

    private String id(PendingEffect effect) {
        return part.name() + "/" + effect.id();
    }

    synchronized List<EffectView> views() {
        return orders.values().stream()
                .flatMap(order -> order.waiting.values().stream())
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

    /** Performs what waits for its next try now; of one order, or of all. Returns how many orders had to wait. */
    int retry(Optional<String> id) {
        List<Order> chosen;
        synchronized (this) {
            chosen = orders.values().stream()
                    .filter(order -> order.timer != null && !order.busy)
                    .filter(order -> id.isEmpty()
                            || order.waiting.values().stream()
                                    .anyMatch(waiting -> id(waiting.effect).equals(id.get())))
                    .toList();
        }
        chosen.forEach(this::retry);
        return chosen.size();
    }

    /** Takes an effect off without performing it; completes with whether it was there. */
    CompletableFuture<Boolean> drop(String id) {
        Optional<PendingEffect> found = views().stream()
                .filter(view -> view.id().equals(id))
                .map(EffectView::effect)
                .findFirst();
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        PendingEffect effect = found.get();
        return ledger.forget(effect)
                .thenApply(gone -> {
                    dropped(effect);
                    return true;
                })
                .toCompletableFuture();
    }

    private void dropped(PendingEffect effect) {
        List<CompletableFuture<Void>> told = List.of();
        synchronized (this) {
            Order order = orders.get(effect.order());
            if (order != null && order.waiting.remove(effect.number()) != null && !order.busy) {
                Optional.ofNullable(order.timer).ifPresent(Scheduler.Cancellable::cancel);
                told = next(order);
            }
        }
        complete(told, Optional.empty());
        pump();
    }

    /** The part is closed: nothing more is begun. What waits stays in the ledger. */
    void stop() {
        List<CompletableFuture<Void>> watchers;
        synchronized (this) {
            stopped = true;
            watchers = orders.values().stream()
                    .flatMap(order -> order.watchers.stream())
                    .toList();
            orders.values().forEach(order -> Optional.ofNullable(order.timer).ifPresent(Scheduler.Cancellable::cancel));
            ready.clear();
        }
        watchers.forEach(watcher -> watcher.completeExceptionally(new IpamException(
                ErrorCode.TRY_AGAIN, "extension " + part.name() + " was closed", "try again when it runs")));
    }
}
