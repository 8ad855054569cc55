package io.enipam.events;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last events, and those who follow them. Thread-safe.
 *
 * <p>One lock guards ring, sequence and the hand-over to followers, so that each follower sees every event once and in
 * order. Nothing slow happens under it: a follower has a bounded queue, and a full one loses events rather than holding
 * up the engine; what it lost is told to it by a {@code EventsDropped} event. The log is asynchronous and drops, too.
 */
public final class EventRing implements EventSink, AutoCloseable {
    /** How many events the ring keeps. */
    public static final int SIZE = 4096;

    private static final Logger LOG = LoggerFactory.getLogger("io.enipam.events");

    private final String run = UUID.randomUUID().toString();
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
    private boolean closed;

    /**
     * @param executor where followers are told of new events, outside the publisher's thread
     */
    public EventRing(TimeSource time, Executor executor) {
        this.time = time;
        this.executor = executor;
    }

    /** How many events were published, by type. */
    public EventCounts counts() {
        return counts;
    }

    /** Names this ring: the numbers of its events are its own. */
    public String run() {
        return run;
    }

    @Override
    public void publish(
            Event.Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        Event event;
        counts.add(severity, type);
        synchronized (lock) {
            sequence++;
            event = new Event(sequence, time.now(), severity, type, subject, message, attributes);
            if (ring.size() == SIZE) {
                ring.removeFirst();
            }
            ring.addLast(event);
            followers.forEach(f -> f.offer(event));
        }
        log(event);
    }

    /**
     * The kept events after a sequence number, oldest first. If some of those asked for are no longer kept, the list
     * begins with an {@code EventsDropped} event. A number that was never given comes from an earlier run of the daemon: it counts as 0.
     */
    public List<Event> after(long afterSequence) {
        synchronized (lock) {
            return kept(afterSequence);
        }
    }

    /**
     * Follows: the kept events after a sequence number, then every new one.
     *
     * @param wake called, on another thread than the publisher's, when there is something to take
     */
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

    /** Ends every follower. Events are still taken and kept. */
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

    /** How many events there were since the start, by type. Thread-safe. */
    public static final class EventCounts {
        /** Under which events of further types are counted: a plugin may name its events as it likes. */
        public static final String OTHER_TYPES = "other";

        private static final int MOST_TYPES = 200;

        private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();

        /** What is counted by itself. */
        public record Key(Severity severity, String type) {}

        /** One more. */
        public void add(Severity severity, String type) {
            Key key = new Key(severity, type);
            LongAdder known = counts.get(key);
            if (known == null) {
                // a few more come in where threads meet here, never many
                Key kept = counts.size() < MOST_TYPES ? key : new Key(severity, OTHER_TYPES);
                known = counts.computeIfAbsent(kept, name -> new LongAdder());
            }
            known.increment();
        }

        /** How many there were of each. */
        public Map<Key, Long> all() {
            Map<Key, Long> all =
                    new TreeMap<>(Comparator.comparing(Key::severity).thenComparing(Key::type));
            counts.forEach((key, count) -> all.put(key, count.sum()));
            return all;
        }

        /** How many there were of a type, whatever the severity. */
        public long of(String type) {
            return counts.entrySet().stream()
                    .filter(entry -> entry.getKey().type().equals(type))
                    .mapToLong(entry -> entry.getValue().sum())
                    .sum();
        }
    }
}
