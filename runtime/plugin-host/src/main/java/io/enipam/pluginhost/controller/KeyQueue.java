package io.enipam.pluginhost.controller;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.controller.ControllerView.FailingKey;
import io.enipam.pluginhost.controller.ControllerView.Load;
import io.enipam.sdk.Controller.Limits;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Next;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an active controller that have something to do. Each is here once, in one phase:
 *
 * <pre>
 * (not here) -> QUEUED      it is reported
 * QUEUED     -> UNDER_WAY   a worker takes it, the one reported first before others
 * UNDER_WAY  -> CHANGED     it is reported meanwhile
 * CHANGED    -> QUEUED      the worker is through with it, whatever the outcome
 * UNDER_WAY  -> (not here)  done
 *            -> PAUSED      again, or a failure that is retried
 *            -> LEFT        a failure, and no retry is left
 *            -> QUEUED      it was not asked about
 * PAUSED     -> QUEUED      the time is over, or it is reported
 * LEFT       -> QUEUED      it is reported
 * </pre>
 *
 * <p>Thread-safe; {@code this} guards all fields, and nothing is called under it but the scheduler.
 */
final class KeyQueue {
    /** The most keys that are here, whatever their phase. */
    static final int MOST = 1_000_000;

    static final int MOST_SHOWN = 100;

    private final Limits limits;
    private final Backoff backoff;
    private final TimeSource time;
    private final Scheduler engine;
    private final RandomGenerator random;
    private final Runnable due;
    private final Map<String, Key> keys = new HashMap<>();
    private final Deque<Key> queue = new ArrayDeque<>();
    private int underWay;
    private boolean stopped;

    /** @param due called on the engine's threads when the pause of a key is over */
    KeyQueue(Limits limits, TimeSource time, Scheduler engine, RandomGenerator random, Runnable due) {
        this.limits = limits;
        this.backoff =
                Backoff.doubling(limits.firstPause(), limits.longestPause()).spread(0.2);
        this.time = time;
        this.engine = engine;
        this.random = random;
        this.due = due;
    }

    private enum Phase {
        QUEUED,
        UNDER_WAY,
        CHANGED,
        PAUSED,
        LEFT
    }

    /** A key; its queue guards the fields. */
    static final class Key {
        final String name;
        private Phase phase = Phase.QUEUED;
        private long since;
        private int failures;
        private @Nullable Failure failure;
        /** The pause that the last answer asked for. */
        private Optional<Duration> after = Optional.empty();

        private Optional<Instant> nextTry = Optional.empty();
        private Scheduler.@Nullable Cancellable timer;
        /** Counts them: the end of an earlier one changes nothing. */
        private int pauses;

        private Key(String name) {
            this.name = name;
        }
    }

    private record Failure(ErrorKind kind, String why, Instant first) {}

    /**
     * A key is to be reconciled.
     *
     * @return false if there are too many
     */
    synchronized boolean told(String name) {
        Key known = keys.get(name);
        if (stopped) {
            return true;
        }
        if (known == null) {
            if (keys.size() == MOST) {
                return false;
            }
            Key key = new Key(name);
            keys.put(name, key);
            enqueue(key);
            return true;
        }
        switch (known.phase) {
            case QUEUED, CHANGED -> {}
            case UNDER_WAY -> known.phase = Phase.CHANGED;
            case PAUSED, LEFT -> enqueue(known);
        }
        return true;
    }

    /** By this. */
    private void enqueue(Key key) {
        if (key.timer != null) {
            key.timer.cancel();
            key.timer = null;
        }
        key.nextTry = Optional.empty();
        key.phase = Phase.QUEUED;
        key.since = time.nanoTime();
        queue.add(key);
    }

    /** The next key for a worker; empty if no key is queued, or no worker is free. */
    synchronized Optional<Key> take() {
        if (stopped || queue.isEmpty() || underWay == limits.workers()) {
            return Optional.empty();
        }
        Key key = queue.remove();
        key.phase = Phase.UNDER_WAY;
        underWay++;
        return Optional.of(key);
    }

    /** How long a key that was taken had been queued. */
    synchronized Duration waited(Key key) {
        return Duration.ofNanos(time.nanoTime() - key.since);
    }

    /** A reconcile has failed by its deadline, and its worker is not through with it yet. */
    synchronized void late(Key key, Next.Retry why) {
        note(key, why);
    }

    /**
     * A reconcile has ended. The worker keeps the key until {@link #release}.
     *
     * @return the pause until the next one; empty if there is none to come by itself
     */
    synchronized Optional<Duration> answered(Key key, Next answer) {
        key.after = Optional.empty();
        if (answer instanceof Next.Retry retry) {
            note(key, retry);
            key.failures++;
            if (key.failures <= limits.retries()) {
                key.after = Optional.of(backoff.pause(key.failures, random));
            }
        } else {
            key.failures = 0;
            key.failure = null;
            if (answer instanceof Next.Again again) {
                key.after = Optional.of(again.after());
            }
        }
        return key.after;
    }

    /**
     * A worker is through with a key.
     *
     * @param asked whether the controller was
     */
    synchronized void release(Key key, boolean asked) {
        underWay--;
        if (stopped) {
            return;
        }
        if (key.phase == Phase.CHANGED || !asked) {
            enqueue(key);
        } else if (key.after.isPresent()) {
            pause(key, key.after.get());
        } else if (key.failure != null) {
            key.phase = Phase.LEFT;
        } else {
            keys.remove(key.name);
        }
    }

    /** By this. */
    private void note(Key key, Next.Retry retry) {
        Instant first = key.failure == null ? time.now() : key.failure.first();
        key.failure = new Failure(retry.kind(), retry.why(), first);
    }

    /** By this. */
    private void pause(Key key, Duration pause) {
        key.phase = Phase.PAUSED;
        key.nextTry = Optional.of(time.now().plus(pause));
        int number = ++key.pauses;
        key.timer = engine.after(pause, () -> over(key, number));
    }

    private void over(Key key, int pause) {
        synchronized (this) {
            if (stopped || key.phase != Phase.PAUSED || key.pauses != pause) {
                return;
            }
            enqueue(key);
        }
        due.run();
    }

    /** Nothing is taken any more. */
    synchronized void stop() {
        stopped = true;
        keys.values().forEach(key -> Optional.ofNullable(key.timer).ifPresent(Scheduler.Cancellable::cancel));
        keys.clear();
        queue.clear();
    }

    synchronized Load load() {
        int failing = 0;
        int paused = 0;
        for (Key key : keys.values()) {
            failing += key.failure == null ? 0 : 1;
            paused += key.phase == Phase.PAUSED ? 1 : 0;
        }
        return new Load(queue.size(), underWay, paused, failing, limits.workers(), limits.queue());
    }

    synchronized List<FailingKey> failing() {
        record Found(Key key, Failure failure) {}
        return keys.values().stream()
                .flatMap(key -> Optional.ofNullable(key.failure).map(failure -> new Found(key, failure)).stream())
                .sorted(Comparator.comparing((Found found) -> found.failure().first())
                        .thenComparing(found -> found.key().name))
                .limit(MOST_SHOWN)
                .map(found -> new FailingKey(
                        found.key().name,
                        found.key().failures,
                        found.failure().kind(),
                        found.failure().why(),
                        found.failure().first(),
                        found.key().nextTry))
                .toList();
    }
}
