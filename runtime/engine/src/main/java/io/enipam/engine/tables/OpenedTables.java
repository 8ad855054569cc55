package io.enipam.engine.tables;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Table;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The tables that a plugin has opened since its journal was made. Thread-safe. */
public final class OpenedTables {
    private final String plugin;
    private final Map<String, Table<?>> byName = new ConcurrentHashMap<>();
    private final RecentValues recent = new RecentValues();

    /** @param plugin its id */
    public OpenedTables(String plugin) {
        this.plugin = plugin;
    }

    public String plugin() {
        return plugin;
    }

    /**
     * Opens a table, as {@link io.enipam.sdk.Journal#open} says.
     *
     * @param state has its rows
     */
    public void open(Table<?> table, TableState state) {
        state.under(path(table)).forEach(row -> TableTransaction.read(table, row));
        Table<?> known = byName.putIfAbsent(table.name(), table);
        if (known != null && !known.equals(table)) {
            throw new JournalException(
                    ErrorKind.INTERNAL, "table " + table.name() + " was opened before, with another version or codec");
        }
    }

    /**
     * How the paths of a table's rows begin.
     *
     * @throws JournalException {@link ErrorKind#MISCONFIGURED} if the table was not opened
     */
    public String required(Table<?> table) {
        if (!table.equals(byName.get(table.name()))) {
            throw new JournalException(
                    ErrorKind.MISCONFIGURED, "table " + table.name() + " was not opened: call Journal.open first");
        }
        return path(table);
    }

    RecentValues recent() {
        return recent;
    }

    private String path(Table<?> table) {
        return plugin + "/" + table.name() + "/";
    }
}
