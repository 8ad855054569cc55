package io.enipam.engine.pool;

import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Keeps a policy whose target goes up and down from creating and disposing in turn, and one that asks for more than there can
 * be from asking for that.
 *
 * <p>A target that rises is followed at once, and so is one that falls, unless it rose within the last {@link #HOLD}: then idle
 * resources go back only down to the highest upper bound that was in force within that time. A bound counts until {@code HOLD}
 * after the answer that ended it, so that one peak does not count for ever on a busy node. {@code bounds} has those that may
 * still be the highest, newest last, each lower than the one before; its head is the highest, and the last one is in force. A
 * target that turns round again and again while no pod comes or goes is not one that follows the pods:
 * {@link #trouble} names the policy then.
 *
 * <p>Thread-safe; {@code this} guards all fields.
 */
final class TargetDamper {
    /** How long after it rose a target is not followed down. */
    static final Duration HOLD = Duration.ofSeconds(30);

    private static final Duration REMEMBERED = Duration.ofMinutes(10);
    /** So many turns within {@link #REMEMBERED} are too many. */
    private static final int TURNS = 4;

    private final TimeSource time;
    private final EventSink events;
    private final Deque<Bound> bounds = new ArrayDeque<>();
    /** When the target turned, at most {@link #TURNS} of them. */
    private final Deque<Long> turns = new ArrayDeque<>();

    /** When the upper bound rose last, if it ever did. */
    private Optional<Long> roseAt = Optional.empty();

    private Optional<Target> before = Optional.empty();
    private int busyBefore;
    private int direction;
    private Optional<String> excess = Optional.empty();
    private String policy = "";
    private boolean told;

    /** @param until when it was in force last, by {@code nanoTime} */
    private record Bound(int maxIdle, long until) {}

    /**
     * @param target what is followed
     * @param again when to ask again because something is held back until then; empty if nothing is
     */
    record Damped(Target target, Optional<Duration> again) {}

    TargetDamper(TimeSource time, EventSink events) {
        this.time = time;
        this.events = events;
    }

    /** Another policy answers from now on. */
    synchronized void forget() {
        bounds.clear();
        turns.clear();
        roseAt = Optional.empty();
        before = Optional.empty();
        direction = 0;
        excess = Optional.empty();
        told = false;
    }

    synchronized Damped damped(String name, Target asked, PoolSnapshot pool) {
        policy = name;
        long now = time.nanoTime();
        noteTurn(asked, pool, now);
        Target target = clamped(asked, pool.capacity());
        hold(target.maxIdle(), now);
        int highest = bounds.getFirst().maxIdle();
        tellOnce();
        if (highest == target.maxIdle()) {
            return new Damped(target, Optional.empty());
        }
        long since = Math.max(now - bounds.getFirst().until(), now - roseAt.orElse(now));
        long left = HOLD.toNanos() - since;
        Target held = new Target(target.minIdle(), highest, target.shedFirst());
        return new Damped(held, Optional.of(Duration.ofNanos(Math.max(1, left))));
    }

    private void hold(int maxIdle, long now) {
        Bound inForce = bounds.pollLast();
        if (inForce != null && maxIdle > inForce.maxIdle()) {
            roseAt = Optional.of(now);
        }
        if (inForce != null && inForce.maxIdle() > maxIdle) {
            bounds.addLast(new Bound(inForce.maxIdle(), now));
        }
        while (!bounds.isEmpty() && bounds.getLast().maxIdle() <= maxIdle) {
            bounds.removeLast();
        }
        while (!bounds.isEmpty() && now - bounds.getFirst().until() >= HOLD.toNanos()) {
            bounds.removeFirst();
        }
        if (roseAt.filter(rise -> now - rise < HOLD.toNanos()).isEmpty()) {
            bounds.clear();
        }
        bounds.addLast(new Bound(maxIdle, now));
    }

    private void noteTurn(Target asked, PoolSnapshot pool, long now) {
        int busy = pool.count(ResourceState.IN_USE) + pool.waiting();
        int turnedTo = before.map(last -> Integer.compare(asked.maxIdle(), last.maxIdle()))
                .orElse(0);
        if (busy != busyBefore) {
            direction = 0;
        } else if (turnedTo != 0) {
            if (direction == -turnedTo) {
                turns.addLast(now);
            }
            direction = turnedTo;
        }
        while (turns.size() > TURNS || (!turns.isEmpty() && now - turns.getFirst() >= REMEMBERED.toNanos())) {
            turns.removeFirst();
        }
        busyBefore = busy;
        before = Optional.of(asked);
    }

    private Target clamped(Target asked, int capacity) {
        // a factory that was not listed yet has no capacity
        boolean tooMuch = capacity > 0 && asked.minIdle() > capacity;
        excess = tooMuch
                ? Optional.of("policy " + policy + " asks for " + asked.minIdle()
                        + " idle addresses, and the pool can have " + capacity + ": it gets those")
                : Optional.empty();
        int most = Math.max(0, capacity);
        return new Target(Math.min(asked.minIdle(), most), Math.min(asked.maxIdle(), most), asked.shedFirst());
    }

    /** Once, until nothing is wrong any more. */
    private void tellOnce() {
        Optional<String> wrong = trouble();
        if (wrong.isPresent() && !told) {
            events.warning("PolicyTargetDamped", policy, wrong.get());
        }
        told = wrong.isPresent();
    }

    /** What is wrong with the targets of the last minutes, one line; empty if nothing is. */
    synchronized Optional<String> trouble() {
        long now = time.nanoTime();
        boolean turning = turns.size() == TURNS && now - turns.getFirst() < REMEMBERED.toNanos();
        return turning
                ? Optional.of("policy " + policy + " changes its target up and down while no pod comes or goes; idle"
                        + " addresses are not given back within " + HOLD.toSeconds() + " s after it rose")
                : excess;
    }
}
