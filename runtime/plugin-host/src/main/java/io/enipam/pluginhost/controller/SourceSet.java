package io.enipam.pluginhost.controller;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.concurrent.Stages;
import io.enipam.pluginhost.controller.ActiveController.Surroundings;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.pluginhost.guard.PluginText;
import io.enipam.sdk.Controller.Limits;
import io.enipam.sdk.JournalBounds;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * The sources of an active controller. They are opened together, and when one is lost, all are closed and opened together again
 * after a pause: what each tells after that has no gap. Thread-safe; {@code this} guards all fields, and no call leaves under it.
 */
final class SourceSet {
    private static final Duration OPEN = Duration.ofSeconds(10);
    private static final Duration STEADY = Duration.ofMinutes(1);
    private static final int MOST = 100;

    /** So many are opened at once: a part has eight threads for all of its calls, and a short queue before them. */
    private static final int LANES = 6;

    private static final Backoff BACKOFF =
            Backoff.doubling(Duration.ofSeconds(1), Duration.ofMinutes(1)).spread(0.2);

    private final RunningPart part;
    private final Map<String, Source> sources;
    private final Surroundings on;
    private final Predicate<String> told;
    private final Runnable ready;
    private final KeyedQueue<Integer> lanes = new KeyedQueue<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Set<String> unsynced = new HashSet<>();
    /** Counts the openings; what comes from an earlier one is ignored. */
    private int round;

    private int losses;
    private long opened;
    private String trouble = "";
    private boolean stopped;

    /**
     * @param told gets each key, on any thread; says whether there is room for it
     * @param ready called on the engine's threads when all sources are synced
     */
    SourceSet(RunningPart part, Map<String, Source> sources, Surroundings on, Predicate<String> told, Runnable ready) {
        this.part = part;
        this.sources = sources;
        this.on = on;
        this.told = told;
        this.ready = ready;
    }

    /** What a controller says of itself, once. */
    record Declared(Map<String, Source> sources, Limits limits) {
        /** @throws IllegalArgumentException if two have one name, a name is malformed, or there are too many */
        static Declared of(List<Source> watches, Limits limits) {
            Map<String, Source> byName = new TreeMap<>();
            for (Source source : watches) {
                String name = source.name();
                if (!name.matches("[a-z][a-z0-9-]{0,62}") || byName.put(name, source) != null) {
                    throw new IllegalArgumentException("the name of source '" + name + "' is malformed, or not unique");
                }
            }
            if (byName.size() > MOST) {
                throw new IllegalArgumentException(byName.size() + " sources; " + MOST + " are allowed");
            }
            return new Declared(byName, limits);
        }
    }

    /** Opens all of them. */
    void open() {
        int now;
        synchronized (this) {
            if (stopped) {
                return;
            }
            now = ++round;
            opened = on.time().nanoTime();
            unsynced.clear();
            unsynced.addAll(sources.keySet());
        }
        if (sources.isEmpty()) {
            ready.run();
        }
        sources.forEach(
                (name, source) -> lanes.run(Math.floorMod(name.hashCode(), LANES), () -> open(now, name, source)));
    }

    private CompletableFuture<Void> open(int of, String name, Source source) {
        if (!current(of)) {
            return CompletableFuture.completedFuture(null);
        }
        return part.calls()
                .open(
                        "open of source " + name,
                        OPEN,
                        () -> source.open(new RoundSink(of, name)),
                        late -> part.calls().close(late))
                .handle((made, failure) -> {
                    if (failure != null) {
                        lost(of, name, String.valueOf(Stages.cause(failure).getMessage()));
                    } else if (!kept(of, made)) {
                        part.calls().close(made);
                    }
                    return null;
                });
    }

    private synchronized boolean kept(int of, AutoCloseable made) {
        return !stopped && of == round && open.add(made);
    }

    /** Whether all are synced and none is lost. */
    synchronized boolean ready() {
        return !stopped && round > 0 && trouble.isEmpty() && unsynced.isEmpty();
    }

    /** Which source is lost and why; empty text if none is. */
    synchronized String trouble() {
        return trouble;
    }

    private void synced(int of, String name) {
        synchronized (this) {
            if (stopped || of != round || !unsynced.remove(name) || !unsynced.isEmpty()) {
                return;
            }
            trouble = "";
        }
        ready.run();
    }

    private void lost(int of, String name, String why) {
        Duration pause;
        synchronized (this) {
            if (stopped || of != round) {
                return;
            }
            round++;
            boolean steady = unsynced.isEmpty() && on.time().nanoTime() - opened >= STEADY.toNanos();
            losses = steady ? 1 : losses + 1;
            trouble = "source " + name + " is lost: " + why;
            pause = BACKOFF.pause(losses, on.random());
        }
        on.events()
                .warning("SourceLost", part.name(), "controller " + part.name() + " reconciles nothing: " + trouble());
        closeAll().thenRun(() -> on.engine().after(pause, this::open));
    }

    private CompletableFuture<Void> closeAll() {
        List<AutoCloseable> closing;
        synchronized (this) {
            closing = List.copyOf(open);
            open.clear();
        }
        return CompletableFuture.allOf(closing.stream().map(part.calls()::close).toArray(CompletableFuture<?>[]::new));
    }

    /** Ends it; completes when all sources are closed, or have not been in time. */
    CompletableFuture<Void> stop() {
        synchronized (this) {
            stopped = true;
        }
        return closeAll();
    }

    /** What one source tells of one opening; the plugin's threads only take note, and the engine's go on with it. */
    private final class RoundSink implements Source.Sink {
        private final int of;
        private final String name;
        private volatile boolean over;

        RoundSink(int of, String name) {
            this.of = of;
            this.name = name;
        }

        @Override
        public void changed(String key) {
            try {
                JournalBounds.key(key);
            } catch (JournalException e) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
            if (!over && current(of) && !told.test(key)) {
                lost("more than " + KeyQueue.MOST + " keys wait");
            }
        }

        @Override
        public void synced() {
            if (!over) {
                on.engine().execute(() -> SourceSet.this.synced(of, name));
            }
        }

        @Override
        public void lost(String why) {
            over = true;
            String line = PluginText.line(why);
            on.engine().execute(() -> SourceSet.this.lost(of, name, line));
        }
    }

    private synchronized boolean current(int of) {
        return !stopped && of == round;
    }
}
