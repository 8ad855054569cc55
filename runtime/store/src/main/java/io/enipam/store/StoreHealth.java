package io.enipam.store;

import io.enipam.engine.port.ResourceDb.DbTrouble;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether commits work, and the watchers of that. Thread-safe; one thread notes changes and another one reports them in
 * their order, so that a watcher also gets trouble that lasted for a moment, and last the present state. {@code this}
 * guards the watchers.
 */
final class StoreHealth {
    private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);

    private final List<Consumer<Optional<DbTrouble>>> watchers = new ArrayList<>(); // by this
    private final Clock clock;
    private volatile Optional<DbTrouble> trouble = Optional.empty();

    StoreHealth(Clock clock) {
        this.clock = clock;
    }

    /** Why commits fail, or are about to; empty if all is well. */
    Optional<DbTrouble> trouble() {
        return trouble;
    }

    /** Adds a watcher, and reports present trouble to it. */
    synchronized void watch(Consumer<Optional<DbTrouble>> watcher) {
        watchers.add(watcher);
        if (trouble.isPresent()) {
            tell(watcher, trouble);
        }
    }

    /**
     * Notes why commits fail now, if they do. Returns whether trouble came or went, so that the caller has to notify
     * the watchers.
     */
    boolean changed(Optional<String> cause) {
        Optional<DbTrouble> before = trouble;
        trouble = cause.map(
                words -> new DbTrouble(words, before.map(DbTrouble::since).orElseGet(clock::instant)));
        return before.isPresent() != cause.isPresent();
    }

    /** Reports the state after a change to the watchers, in the order of the changes. */
    synchronized void tell(Optional<DbTrouble> state) {
        watchers.forEach(watcher -> tell(watcher, state));
    }

    private static void tell(Consumer<Optional<DbTrouble>> watcher, Optional<DbTrouble> state) {
        try {
            watcher.accept(state);
        } catch (RuntimeException e) {
            LOG.error("a watcher of the database threw", e);
        }
    }
}
