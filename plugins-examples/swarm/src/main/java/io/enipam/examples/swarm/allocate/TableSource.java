package io.enipam.examples.swarm.allocate;

import io.enipam.sdk.Journal;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import java.util.function.UnaryOperator;

/**
 * Tells the rows of a table as keys.
 *
 * @param opened called before the first is told
 * @param key what the host hears when a row is told: its key
 */
record TableSource(Journal journal, Table<?> table, Runnable opened, UnaryOperator<String> key) implements Source {
    @Override
    public String name() {
        return table.name();
    }

    @Override
    public AutoCloseable open(Sink sink) {
        opened.run();
        return journal.watch(table, new Sink() {
            @Override
            public void changed(String row) {
                sink.changed(key.apply(row));
            }

            @Override
            public void synced() {
                sink.synced();
            }

            @Override
            public void lost(String why) {
                sink.lost(why);
            }
        });
    }
}
