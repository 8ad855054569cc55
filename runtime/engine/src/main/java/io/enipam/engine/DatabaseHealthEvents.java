package io.enipam.engine;

import io.enipam.engine.port.DbTrouble;
import io.enipam.engine.port.EventSink;
import java.util.Optional;
import java.util.function.Consumer;

/** Reports once that the database cannot be written, and once that it can again. Thread-safe; {@code this} guards the last word. */
final class DatabaseHealthEvents implements Consumer<Optional<DbTrouble>> {
    private final EventSink events;
    private boolean told;

    DatabaseHealthEvents(EventSink events) {
        this.events = events;
    }

    @Override
    public synchronized void accept(Optional<DbTrouble> trouble) {
        if (trouble.isPresent() == told) {
            return;
        }
        told = trouble.isPresent();
        if (told) {
            events.error(
                    "DatabaseUnwritable",
                    "database",
                    trouble.get().cause() + "; ADD is turned away until that works again, which is tried all the time");
        } else {
            events.info("DatabaseWritable", "database", "the database can be written again");
        }
    }
}
