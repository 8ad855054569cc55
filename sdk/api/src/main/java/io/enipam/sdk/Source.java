package io.enipam.sdk;

/**
 * Tells a {@link Controller}'s keys: one for each object that exists, and one for each change. What the objects are like, it keeps
 * in memory for the controller, or the controller reads it elsewhere. Thread-safe.
 */
public interface Source {
    /** {@code [a-z][a-z0-9-]{0,62}}, constant, unique within the controller: {@code nodes}. */
    String name();

    /**
     * Begins to list and to watch. Must return within 10 s; what takes longer goes on after that. The host opens the sources when the
     * controller becomes active, and again when one of them was lost.
     *
     * @return closed by the host when the controller is not active any more, and when a source is lost. Closing must be through
     *     after 5 s; what comes by this sink later is ignored
     * @throws FactoryException if it cannot be opened now; counts as {@link Sink#lost}
     */
    AutoCloseable open(Sink sink);

    /** Where a source reports. Thread-safe; no method blocks, and any may be called before {@link #open} has returned. */
    interface Sink {
        /**
         * A key is to be reconciled: its object exists, has changed or is gone. The source has to know the object as it now is before it
         * calls this.
         *
         * @throws IllegalArgumentException if the key has not 1 to 512 characters, or a control character
         */
        void changed(String key);

        /** All objects that existed when it was opened have been reported. No key is reconciled before each source has said so. */
        void synced();

        /**
         * It cannot go on, and reports nothing any more; a source that recovers by itself need not say this. The host closes all sources,
         * opens them again after 1 s, and after twice as long each further time, up to a minute, and begins no reconcile until all
         * are synced: a controller does not decide on what is known to be old.
         *
         * @param why for an operator, one line
         */
        void lost(String why);
    }

    /**
     * Reports the keys of a table's rows when it is opened, and then those that commits change, by {@link Journal#watch}. By it a
     * controller reconciles what was deleted while nothing watched (the table has a row, and no other source has the object), and hears
     * of what commands, and other replicas, write. What a reconcile itself changes is reported as well: the key is reconciled once more,
     * and has to find all as wanted.
     *
     * @param table one that was opened; its name is the source's
     */
    static Source ofTable(Journal journal, Table<?> table) {
        record OfTable(Journal journal, Table<?> table) implements Source {
            @Override
            public String name() {
                return table.name();
            }

            @Override
            public AutoCloseable open(Sink sink) {
                return journal.watch(table, sink);
            }
        }
        return new OfTable(journal, table);
    }
}
