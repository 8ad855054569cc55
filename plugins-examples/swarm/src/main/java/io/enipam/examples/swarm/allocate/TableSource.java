package io.enipam.examples.swarm.allocate;

import io.enipam.sdk.Journal;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import java.util.function.Consumer;

/**
 * Tells the rows of a table as keys.
 *
 * @param opened called before the first is told
 * @param told called with the key of a row before the host hears of it
 */
record TableSource(Journal journal, Table<?> table, String kind, Runnable opened, Consumer<String> told)
        implements Source {
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
                told.accept(row);
                sink.changed(kind + row);
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
