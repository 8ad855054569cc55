package io.enipam.events;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latest events, and their followers. Thread-safe.
 *
 * <p>One lock guards ring, sequence and the hand-over to followers, so that each follower gets every event once and in
 * order. Nothing slow runs under it: a follower has a bounded queue, and a full queue drops events instead of blocking
 * the engine; an {@code EventsDropped} event reports the loss. The log is asynchronous and drops, too.
 */
public final class EventRing implements EventSink, AutoCloseable {
    public static final int SIZE = 4096;

    private static final Logger LOG = LoggerFactory.getLogger("io.enipam.events");

    private final TimeSource time;
    private final Executor executor;
    private final CopyOnWriteArrayList<EventFollower> followers = new CopyOnWriteArrayList<>();
    private final EventCounts counts = new EventCounts();
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Deque<Event> ring = new ArrayDeque<>();

    @GuardedBy("lock")
    private long sequence;

    @GuardedBy("lock")
    private Consumer<Event> keep = event -> {};

    private volatile String run = UUID.randomUUID().toString();

    @GuardedBy("lock")
    private boolean closed;

    /** @param executor notifies followers of new events, outside the publisher's thread */
    public EventRing(TimeSource time, Executor executor) {
        this.time = time;
        this.executor = executor;
    }

    public EventCounts counts() {
        return counts;
    }

    /** Identifies the numbers of these events: those of another one do not apply. */
    public String run() {
        return run;
    }

    /**
     * Goes on where a former run of the daemon ended: its events come first, and the numbers go on behind the last of them. What was
     * published since this run began is numbered anew; so nobody may have read it yet. Called once at most.
     *
     * @param numbers identifies them, see {@link #run}
     * @param former in the order of their numbers
     * @param skipped so many numbers may be of events that were read and not kept
     * @param first begins this run; its number does not count
     * @param sink gets that, and each event of this run, in the order of the numbers; it does not block
     */
    public void goOn(String numbers, List<Event> former, long skipped, Event first, Consumer<Event> sink) {
        counts.add(first.severity(), first.type());
        synchronized (lock) {
            List<Event> early = new ArrayList<>(ring);
            early.add(0, first);
            ring.clear();
            ring.addAll(former.subList(Math.max(0, former.size() - SIZE), former.size()));
            sequence = ring.isEmpty() ? 0 : ring.getLast().sequence() + skipped;
            run = numbers;
            keep = sink;
            for (Event event : early) {
                add(event.numbered(++sequence));
            }
        }
        log(first);
    }

    @Override
    public void publish(
            Event.Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        Event event;
        counts.add(severity, type);
        synchronized (lock) {
            sequence++;
            event = new Event(sequence, time.now(), severity, type, subject, message, attributes);
            add(event);
            followers.forEach(f -> f.offer(event));
        }
        log(event);
    }

    @GuardedBy("lock")
    private void add(Event event) {
        if (ring.size() == SIZE) {
            ring.removeFirst();
        }
        ring.addLast(event);
        keep.accept(event);
    }

    /**
     * The kept events after a sequence number, oldest first. If some of the requested events are no longer kept, the
     * list begins with an {@code EventsDropped} event. A number not yet assigned comes from an earlier run of the
     * daemon and counts as 0.
     */
    public List<Event> after(long afterSequence) {
        synchronized (lock) {
            return kept(afterSequence);
        }
    }

    /** Delivers the kept events after a sequence number, then every new one; wakes on another thread than the publisher's. */
    public EventFollower follow(long afterSequence, Runnable wake) {
        EventFollower follower = new EventFollower(wake, executor, followers::remove);
        synchronized (lock) {
            kept(afterSequence).forEach(follower::seed);
            if (closed) {
                follower.end();
            } else {
                followers.add(follower);
            }
        }
        return follower;
    }

    /** Ends every follower. The ring still accepts and keeps events. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            followers.forEach(EventFollower::end);
            followers.clear();
        }
    }

    @GuardedBy("lock")
    private List<Event> kept(long afterSequence) {
        long after = afterSequence > sequence ? 0 : Math.max(0, afterSequence);
        List<Event> events = new ArrayList<>();
        Event oldest = ring.peekFirst();
        if (oldest != null && after > 0 && oldest.sequence() > after + 1) {
            events.add(EventFollower.dropped(oldest.sequence() - 1, oldest.sequence() - 1 - after, oldest.at()));
        }
        ring.stream().filter(e -> e.sequence() > after).forEach(events::add);
        return events;
    }

    private static void log(Event event) {
        switch (event.severity()) {
            case INFO -> LOG.info("{} {}: {}", event.type(), event.subject(), event.message());
            case WARNING -> LOG.warn("{} {}: {}", event.type(), event.subject(), event.message());
            case ERROR -> LOG.error("{} {}: {}", event.type(), event.subject(), event.message());
        }
    }

    /** The number of events since the start, by type. Thread-safe. */
    public static final class EventCounts {
        /** Counts events of further types: a plugin may choose its event names freely. */
        public static final String OTHER_TYPES = "other";

        private static final int MOST_TYPES = 200;

        private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();

        /** Types with a counter of their own. */
        public record Key(Severity severity, String type) {}

        public void add(Severity severity, String type) {
            Key key = new Key(severity, type);
            // concurrent threads may exceed the bound by a few
            boolean own = counts.containsKey(key) || counts.size() < MOST_TYPES;
            counts.computeIfAbsent(own ? key : new Key(severity, OTHER_TYPES), name -> new LongAdder())
                    .increment();
        }

        public Map<Key, Long> all() {
            Map<Key, Long> all =
                    new TreeMap<>(Comparator.comparing(Key::severity).thenComparing(Key::type));
            counts.forEach((key, count) -> all.put(key, count.sum()));
            return all;
        }

        public long of(String type) {
            return counts.entrySet().stream()
                    .filter(entry -> entry.getKey().type().equals(type))
                    .mapToLong(entry -> entry.getValue().sum())
                    .sum();
        }
    }

    /**
     * One reader's bounded queue of events. Thread-safe: the ring adds, one reader removes.
     *
     * <p>When the queue is full, new events are counted and dropped; once the reader has emptied the queue, it gets an
     * {@code EventsDropped} event in their place, and then later events.
     */
    public static final class EventFollower implements AutoCloseable {
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
}
