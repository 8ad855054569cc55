package io.enipam.events;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.model.Event;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * One reader's bounded queue of events. Thread-safe: the ring adds, one reader removes.
 *
 * <p>When the queue is full, new events are counted and dropped; once the reader has emptied the queue, it gets an
 * {@code EventsDropped} event in their place, and then later events.
 */
public final class EventFollower implements AutoCloseable {
    /** Capacity for events that come after the reader; kept events from before come in addition. */
    static final int QUEUE = 1024;

    private final Runnable wake;
    private final Executor executor;
    private final Consumer<EventFollower> leave;

    @GuardedBy("this")
    private final Deque<Event> queue = new ArrayDeque<>();

    @GuardedBy("this")
    private int room = QUEUE;

    @GuardedBy("this")
    private long dropped;

    @GuardedBy("this")
    private Instant droppedAt = Instant.EPOCH;

    @GuardedBy("this")
    private long lastDropped;

    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private boolean awake;

    EventFollower(Runnable wake, Executor executor, Consumer<EventFollower> leave) {
        this.wake = wake;
        this.executor = executor;
        this.leave = leave;
    }

    /** Adds an event that the ring kept from before the reader came. */
    synchronized void seed(Event event) {
        queue.addLast(event);
        room++;
    }

    synchronized void offer(Event event) {
        if (dropped > 0 || queue.size() >= room) {
            dropped++;
            lastDropped = event.sequence();
            droppedAt = event.at();
        } else {
            queue.addLast(event);
        }
        wakeReader();
    }

    synchronized void end() {
        ended = true;
        wakeReader();
    }

    /** Removes at most so many events; an empty list if there are none. */
    public synchronized List<Event> take(int most) {
        awake = false;
        List<Event> events = new ArrayList<>();
        while (events.size() < most && !queue.isEmpty()) {
            events.add(queue.removeFirst());
        }
        if (events.size() < most && dropped > 0) {
            events.add(dropped(lastDropped, dropped, droppedAt));
            dropped = 0;
        }
        return events;
    }

    /** Whether no more events can come: the queue is empty, and the ring is closed. */
    public synchronized boolean finished() {
        return ended && queue.isEmpty() && dropped == 0;
    }

    @Override
    public void close() {
        leave.accept(this);
    }

    static Event dropped(long last, long count, Instant at) {
        return new Event(
                last,
                at,
                Event.Severity.WARNING,
                "EventsDropped",
                "events",
                count + " events are not shown, the last of them number " + last
                        + ": this reader was too slow or too late",
                Map.of("count", Long.toString(count)));
    }

    @GuardedBy("this")
    private void wakeReader() {
        if (!awake) {
            awake = true;
            executor.execute(wake);
        }
    }
}
