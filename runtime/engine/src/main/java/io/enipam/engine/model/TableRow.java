package io.enipam.engine.model;

import io.enipam.sdk.JournalBounds;
import java.util.regex.Pattern;

/**
 * One row of a plugin's table, as the resource database has it.
 *
 * @param plugin the plugin's id
 * @param table the table's name within the plugin
 * @param key unique within the table, see {@link JournalBounds}
 * @param version of the table when the row was put, from 1
 * @param revision the commit that put it, from 1
 * @param value as the plugin's codec wrote it
 */
public record TableRow(String plugin, String table, String key, int version, long revision, String value) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

    public TableRow {
        if (!NAME.matcher(plugin).matches() || !NAME.matcher(table).matches()) {
            throw new IllegalArgumentException("'" + plugin + "/" + table + "' is not the name of a plugin's table");
        }
        JournalBounds.key(key);
        if (version < 1 || revision < 1) {
            throw new IllegalArgumentException("version " + version + " or revision " + revision + " is below 1");
        }
    }

    /** What no other row of any plugin has: {@code PLUGIN/TABLE/KEY}; rows are ordered by it. */
    public String path() {
        return plugin + "/" + table + "/" + key;
    }
}
