package io.enipam.examples.swarm.events;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.events.SwarmEvent.Action;
import io.enipam.examples.swarm.events.SwarmEvent.Kind;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Feed;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The latest {@value #KEPT} events of this replica, since its part was opened, and their readers. Thread-safe; {@code this} guards all
 * fields.
 *
 * <p>The log watches the tables, so it hears of what any replica writes. A place is {@code RUN-NUMBER}: a run ends with the part, and when a
 * watch is lost, since what was missed then is not known. A reader keeps no events: it has a number, and is refused once the event behind
 * that is not kept any more. Events of one table come in the order of the commits.
 */
public final class EventLog implements AutoCloseable {
    private static final int KEPT = 4_096;
    private static final long PAUSE_MILLIS = 1_000;

    private final Journal journal;
    private final Clock clock;
    private final Deque<SwarmEvent> events = new ArrayDeque<>();
    private final Map<String, Map<String, String>> known = new HashMap<>();
    private final Set<Follower> followers = new HashSet<>();
    private final Semaphore lost = new Semaphore(0);
    private String run = newRun();
    private long last;
    private Optional<Thread> thread = Optional.empty();

    public EventLog(Journal journal, Clock clock) {
        this.journal = journal;
        this.clock = clock;
    }

    private static String newRun() {
        return UUID.randomUUID().toString().substring(0, 8);
    }

    /** Begins to watch, beside the caller. Has no effect when called again. */
    public synchronized void begin() {
        if (thread.isEmpty()) {
            Thread watching = new Thread(this::watch, "swarm-events");
            watching.setDaemon(true);
            thread = Optional.of(watching);
            watching.start();
        }
    }

    private void watch() {
        try {
            while (true) {
                List<AutoCloseable> watches = new ArrayList<>();
                try {
                    watches.add(journal.watch(Tables.NETWORKS, new Told<>(Kind.NETWORK, Tables.NETWORKS, run())));
                    watches.add(journal.watch(Tables.SERVICES, new Told<>(Kind.SERVICE, Tables.SERVICES, run())));
                    watches.add(journal.watch(Tables.NODES, new Told<>(Kind.NODE, Tables.NODES, run())));
                    watches.add(journal.watch(Tables.TASKS, new Told<>(Kind.TASK, Tables.TASKS, run())));
                    lost.acquire();
                } catch (RuntimeException | Error e) {
                    // the tables cannot be read now: as if a watch were lost
                } finally {
                    watches.forEach(EventLog::end);
                }
                anew();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the part is closed
        }
    }

    private static void end(AutoCloseable watch) {
        try {
            watch.close();
        } catch (Exception e) {
            throw new IllegalStateException("a watch cannot be closed", e);
        }
    }

    private synchronized String run() {
        return run;
    }

    private void anew() {
        List<Follower> waiting;
        synchronized (this) {
            run = newRun();
            events.clear();
            known.clear();
            lost.drainPermits();
            waiting = List.copyOf(followers);
        }
        waiting.forEach(follower -> follower.more.run());
    }

    /** What a watch tells: the rows that there are when it begins are no events. */
    private final class Told<V> implements Source.Sink {
        private final Kind kind;
        private final Table<V> table;
        private final String ofRun;
        private volatile boolean synced;

        Told(Kind kind, Table<V> table, String ofRun) {
            this.kind = kind;
            this.table = table;
            this.ofRun = ofRun;
        }

        @Override
        public void changed(String key) {
            add(ofRun, kind, key, journal.read(tx -> tx.get(table, key)), synced);
        }

        @Override
        public void synced() {
            synced = true;
        }

        @Override
        public void lost(String why) {
            lost.release();
        }
    }

    private void add(String ofRun, Kind kind, String key, Optional<? extends Row<?>> row, boolean announce) {
        List<Follower> waiting;
        synchronized (this) {
            String path = kind + "/" + key;
            Optional<Map<String, String>> now = row.map(each -> attributes(each.value()));
            Optional<Map<String, String>> was = Optional.ofNullable(known.get(path));
            if (!ofRun.equals(run)) {
                return;
            }
            now.ifPresentOrElse(each -> known.put(path, each), () -> known.remove(path));
            if (!announce || (now.isEmpty() && was.isEmpty())) {
                return;
            }
            last++;
            if (events.size() == KEPT) {
                events.removeFirst();
            }
            events.addLast(new SwarmEvent(
                    place(last),
                    clock.instant(),
                    kind,
                    now.isEmpty() ? Action.REMOVE : was.isEmpty() ? Action.CREATE : Action.UPDATE,
                    key.substring(key.lastIndexOf('/') + 1),
                    now.or(() -> was).orElseThrow(),
                    row.map(each -> each)));
            waiting = List.copyOf(followers);
        }
        waiting.forEach(follower -> follower.more.run());
    }

    private static Map<String, String> attributes(Object object) {
        Map<String, String> attributes = new TreeMap<>();
        if (object instanceof Network network) {
            attributes.put("name", network.spec().name());
        } else if (object instanceof Service service) {
            attributes.put("name", service.spec().name());
        } else if (object instanceof Node node) {
            attributes.put("name", node.name());
        } else if (object instanceof Task task) {
            attributes.put("name", task.name());
            attributes.put("service", task.service());
            attributes.put("node", task.node());
            attributes.put("state", task.status().state().name().toLowerCase(Locale.ROOT));
        }
        attributes.values().removeIf(String::isEmpty);
        return attributes;
    }

    private String place(long number) {
        return run + "-" + number;
    }

    /** The place of the latest event. What is read of the tables after this has all events up to it in it. */
    public synchronized String position() {
        return place(last);
    }

    public synchronized List<SwarmEvent> kept() {
        return List.copyOf(events);
    }

    /** Those that are kept, and those to come. */
    public Feed<SwarmEvent> follow(Predicate<SwarmEvent> chosen, Runnable more) {
        synchronized (this) {
            return follower(last - events.size(), chosen, more);
        }
    }

    /**
     * Those behind a place.
     *
     * @throws Refused {@code OUT_OF_RANGE} if they are not kept, or not known; {@code INVALID_ARGUMENT} if it is no place
     */
    public Feed<SwarmEvent> follow(String after, Predicate<SwarmEvent> chosen, Runnable more) {
        if (!after.matches("[0-9a-f]{8}-[0-9]{1,18}")) {
            throw Refused.invalid("position: it is none that was given out");
        }
        synchronized (this) {
            long number = Long.parseLong(after.substring(after.indexOf('-') + 1));
            if (!after.startsWith(run) || number > last) {
                throw tooOld(after + " is of another run of the daemon");
            }
            Follower follower = follower(number, chosen, more);
            follower.check();
            return follower;
        }
    }

    private Follower follower(long seen, Predicate<SwarmEvent> chosen, Runnable more) {
        Follower follower = new Follower(run, seen, chosen, more);
        followers.add(follower);
        return follower;
    }

    private static Refused tooOld(String why) {
        return new Refused(
                Refused.Code.OUT_OF_RANGE,
                "the events behind this position are not kept: " + why
                        + "; list, and watch from the position of the list");
    }

    private final class Follower implements Feed<SwarmEvent> {
        private final String ofRun;
        private final Predicate<SwarmEvent> chosen;
        private final Runnable more;
        private long seen;

        Follower(String ofRun, long seen, Predicate<SwarmEvent> chosen, Runnable more) {
            this.ofRun = ofRun;
            this.seen = seen;
            this.chosen = chosen;
            this.more = more;
        }

        private void check() {
            if (!ofRun.equals(run)) {
                close();
                throw tooOld("a watch of the tables was lost");
            }
            if (seen < last - events.size()) {
                close();
                throw tooOld("this reader is too slow, and " + KEPT + " later events are kept");
            }
        }

        @Override
        public List<SwarmEvent> take(int most) {
            synchronized (EventLog.this) {
                check();
                List<SwarmEvent> taken = new ArrayList<>();
                long skip = seen - (last - events.size());
                for (SwarmEvent event : events) {
                    if (skip > 0) {
                        skip--;
                    } else if (taken.size() == most) {
                        break;
                    } else {
                        seen++;
                        if (chosen.test(event)) {
                            taken.add(event);
                        }
                    }
                }
                return taken;
            }
        }

        @Override
        public void close() {
            synchronized (EventLog.this) {
                followers.remove(this);
            }
        }
    }

    @Override
    public synchronized void close() {
        thread.ifPresent(Thread::interrupt);
    }
}
