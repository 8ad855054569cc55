package io.enipam.observability.web;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.observability.web.Page.Checks.Part;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Whether this process works, limited to faults that a restart could repair: its threads respond, and none are
 * deadlocked. It asks neither cloud nor API server nor disk, and does not wait for recovery: restarts because of an
 * outage elsewhere would make the daemon unavailable when that outage ends, on every node at once. Thread-safe.
 */
public final class Liveness {
    /** How long the engine's threads may take to respond: longer than any pause of a machine that swaps. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

    private final TimeSource time;
    private final Scheduler engine;
    private final Runnable touch;
    private final Supplier<Optional<String>> deadlock;

    @GuardedBy("this")
    private Optional<Long> askedNanos = Optional.empty();

    @GuardedBy("this")
    private Optional<String> lastDeadlock = Optional.empty();

    @GuardedBy("this")
    private Optional<Long> lookedNanos = Optional.empty();

    /**
     * @param engine whose threads are checked
     * @param touch the task they get: something short that takes the pool's lock
     * @param deadlock names deadlocked threads, if there are any
     */
    public Liveness(TimeSource time, Scheduler engine, Runnable touch, Supplier<Optional<String>> deadlock) {
        this.time = time;
        this.engine = engine;
        this.touch = touch;
        this.deadlock = deadlock;
    }

    /** The parts, at once: an open response is checked at the next call. */
    public synchronized List<Part> parts() {
        return List.of(Part.well("ping"), new Part("threads", owed()), new Part("deadlock", deadlock()));
    }

    @GuardedBy("this")
    private Optional<String> owed() {
        long now = time.nanoTime();
        if (askedNanos.isEmpty()) {
            askedNanos = Optional.of(now);
            engine.execute(this::answer);
            return Optional.empty();
        }
        Duration since = Duration.ofNanos(now - askedNanos.get());
        return since.compareTo(PATIENCE) < 0
                ? Optional.empty()
                : Optional.of("the engine's threads have not answered for " + since.toSeconds() + "s");
    }

    private void answer() {
        try {
            touch.run();
        } finally {
            // an exception is a response as well
            synchronized (this) {
                askedNanos = Optional.empty();
            }
        }
    }

    @GuardedBy("this")
    private Optional<String> deadlock() {
        long now = time.nanoTime();
        if (lookedNanos.isEmpty() || now - lookedNanos.get() >= BETWEEN_LOOKS.toNanos()) {
            lookedNanos = Optional.of(now);
            lastDeadlock = deadlock.get();
        }
        return lastDeadlock;
    }

    /** Asks the JVM for deadlocked threads. */
    public static final class Deadlocks {
        private static final int MOST_NAMES = 8;

        private Deadlocks() {}

        public static List<String> names() {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long[] stuck = threads.findDeadlockedThreads();
            return stuck == null
                    ? List.of()
                    : Arrays.stream(threads.getThreadInfo(stuck))
                            .filter(Objects::nonNull)
                            .map(ThreadInfo::getThreadName)
                            .toList();
        }

        /** How many there are, with some names; empty without a deadlock. */
        public static Optional<String> look() {
            List<String> names = names();
            String first = names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
            return Optional.of(names.size() + " threads wait for each other: " + first)
                    .filter(sentence -> !names.isEmpty());
        }
    }
}
