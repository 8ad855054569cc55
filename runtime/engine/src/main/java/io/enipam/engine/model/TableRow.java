package io.enipam.engine.model;

import java.util.regex.Pattern;

/**
 * One row of a plugin's table, as the resource database has it.
 *
 * @param plugin the plugin's id
 * @param table the table's name within the plugin
 * @param key 1 to 512 characters without control characters, unique within the table
 * @param version of the table when the row was put, from 1
 * @param revision the commit that put it, from 1
 * @param value as the plugin's codec wrote it
 */
public record TableRow(String plugin, String table, String key, int version, long revision, String value) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final int LONGEST_KEY = 512;

    public TableRow {
        if (!NAME.matcher(plugin).matches() || !NAME.matcher(table).matches()) {
            throw new IllegalArgumentException("'" + plugin + "/" + table + "' is not the name of a plugin's table");
        }
        requireKey(key);
        if (version < 1 || revision < 1) {
            throw new IllegalArgumentException("version " + version + " or revision " + revision + " is below 1");
        }
    }

    /** @throws IllegalArgumentException if a row cannot have this key */
    public static String requireKey(String key) {
        if (key.isEmpty()
                || key.length() > LONGEST_KEY
                || key.chars().anyMatch(Character::isISOControl)
                || !isUnicode(key)) {
            throw new IllegalArgumentException("a key of " + key.length() + " characters; 1 to " + LONGEST_KEY
                    + " are allowed, and no control characters or half surrogate pairs");
        }
        return key;
    }

    /** Whether a text survives UTF-8: no half of a surrogate pair is without the other. */
    public static boolean isUnicode(String text) {
        return text.codePoints().noneMatch(point -> Character.getType(point) == Character.SURROGATE);
    }

    /** What no other row of any plugin has: {@code PLUGIN/TABLE/KEY}; rows are ordered by it. */
    public String path() {
        return plugin + "/" + table + "/" + key;
    }
}
