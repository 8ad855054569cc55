package io.enipam.kubernetes.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.sdk.Source;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open source: tells its sink on a thread of its own, so that a sink that blocks holds up no other one and no watch. A key that
 * waits is reported once. Thread-safe; {@code this} guards all fields.
 */
final class KeyFeed {
    private static final Logger LOG = LoggerFactory.getLogger(KeyFeed.class);

    private final Source.Sink sink;
    private final Executor threads;

    @GuardedBy("this")
    private final Set<String> keys = new LinkedHashSet<>();

    @GuardedBy("this")
    private boolean sync;

    @GuardedBy("this")
    private Optional<String> lost = Optional.empty();

    @GuardedBy("this")
    private boolean running;

    @GuardedBy("this")
    private boolean closed;

    KeyFeed(Source.Sink sink, Executor threads) {
        this.sink = sink;
        this.threads = threads;
    }

    synchronized void changed(String key) {
        keys.add(key);
        go();
    }

    /** Tells all keys there are, and then that these were all. */
    synchronized void sync(Stream<String> all) {
        keys.addAll(all.toList());
        sync = true;
        go();
    }

    /** Tells that nothing more comes; the last call. */
    synchronized void lost(String why) {
        keys.clear();
        sync = false;
        lost = Optional.of(why);
        go();
    }

    /** Nothing is reported any more, but for what is being reported. */
    synchronized void close() {
        closed = true;
    }

    @GuardedBy("this")
    private void go() {
        if (!running && !closed) {
            running = true;
            threads.execute(this::tell);
        }
    }

    private void tell() {
        for (Optional<Runnable> next = next(); next.isPresent(); next = next()) {
            try {
                next.get().run();
            } catch (RuntimeException | Error e) {
                LOG.warn("a sink of keys failed", e);
            }
        }
    }

    private synchronized Optional<Runnable> next() {
        if (closed) {
            return Optional.empty();
        }
        if (lost.isPresent()) {
            closed = true;
            String why = lost.get();
            return Optional.of(() -> sink.lost(why));
        }
        Iterator<String> first = keys.iterator();
        if (first.hasNext()) {
            String key = first.next();
            first.remove();
            return Optional.of(() -> sink.changed(key));
        }
        if (sync) {
            sync = false;
            return Optional.of(sink::synced);
        }
        running = false;
        return Optional.empty();
    }
}
