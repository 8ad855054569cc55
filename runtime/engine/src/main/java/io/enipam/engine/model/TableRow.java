package io.enipam.engine.model;

import io.enipam.sdk.JournalBounds;

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
    private static final int LONGEST_NAME = 63;

    public TableRow {
        if (!isName(plugin) || !isName(table)) {
            throw new IllegalArgumentException("'" + plugin + "/" + table + "' is not the name of a plugin's table");
        }
        JournalBounds.key(key);
        if (version < 1 || revision < 1) {
            throw new IllegalArgumentException("version " + version + " or revision " + revision + " is below 1");
        }
    }

    /** {@code [a-z][a-z0-9-]{0,62}}: a loop, as each row that is read or written comes by here. */
    private static boolean isName(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean letter = c >= 'a' && c <= 'z';
            boolean later = (c >= '0' && c <= '9') || c == '-';
            if (!letter && !(later && i > 0)) {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= LONGEST_NAME;
    }

    /** What no other row of any plugin has: {@code PLUGIN/TABLE/KEY}; rows are ordered by it. */
    public String path() {
        return plugin + "/" + table + "/" + key;
    }
}
