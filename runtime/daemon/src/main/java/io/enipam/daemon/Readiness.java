package io.enipam.daemon;

import io.enipam.engine.port.DbTrouble;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Whether ADD is served, put together from its conditions: the engine has recovered, and the database can be written. Tells
 * each change. Thread-safe; {@code this} guards it all, so that what is told last is how it is.
 */
final class Readiness {
    private final Consumer<Boolean> health;
    private boolean recovered;
    private Optional<DbTrouble> trouble = Optional.empty();
    private boolean stopped;
    private boolean told;

    /** @param health told of every change; not ready at first */
    Readiness(Consumer<Boolean> health) {
        this.health = health;
    }

    /** The engine serves. */
    synchronized void recovered() {
        recovered = true;
        tell();
    }

    /** How the database is from now on. */
    synchronized void database(Optional<DbTrouble> trouble) {
        this.trouble = trouble;
        tell();
    }

    /** Not ready any more, whatever comes. */
    synchronized void stop() {
        stopped = true;
        tell();
    }

    /** The conditions as they are now. */
    synchronized Conditions conditions() {
        return new Conditions(recovered, trouble, stopped);
    }

    /** What being ready is put together from. */
    record Conditions(boolean recovered, Optional<DbTrouble> trouble, boolean stopped) {}

    private void tell() {
        boolean ready = recovered && trouble.isEmpty() && !stopped;
        if (ready != told) {
            told = ready;
            health.accept(ready);
        }
    }
}
