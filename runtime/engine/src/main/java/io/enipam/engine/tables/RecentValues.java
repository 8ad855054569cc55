package io.enipam.engine.tables;

import io.enipam.engine.model.TableRow;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Table;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The values of rows that one plugin has read or put lately: each watch of a table reads the rows that a commit changed, and they need
 * not be decoded for each, or not at all ({@link Codec#keepsValues}). Values are immutable, so all may have the same. What is kept is
 * bounded by the characters of the rows' texts, by which a value is known: so one that was put and not committed does no harm.
 * Thread-safe.
 */
final class RecentValues {
    private static final int MOST_CHARACTERS = 1 << 21;

    /** By the paths of rows, the oldest first. */
    private final Map<String, Known> known = new LinkedHashMap<>(); // by this

    private int characters; // by this

    /** @param version of the table when the text was written */
    private record Known(int version, String text, Object value) {}

    /** The value of a row, which is kept. Throws as {@link TableTransaction#read}. */
    <V> V read(String path, Table<V> table, TableRow row) {
        return of(path, table, row).orElseGet(() -> {
            V value = TableTransaction.read(table, row);
            keep(path, row.version(), row.value(), value);
            return value;
        });
    }

    synchronized void keep(String path, int version, String text, Object value) {
        Known former = known.remove(path);
        known.put(path, new Known(version, text, value));
        characters += text.length() - (former == null ? 0 : former.text.length());
        for (Iterator<Known> oldest = known.values().iterator(); characters > MOST_CHARACTERS; ) {
            characters -= oldest.next().text.length();
            oldest.remove();
        }
    }

    /** The value of a row, if it is known. */
    @SuppressWarnings("unchecked") // the rows of a path are those of one table, whose codec has one type
    synchronized <V> Optional<V> of(String path, Table<V> table, TableRow row) {
        Known there = known.get(path);
        return there != null && there.version == row.version() && there.text.equals(row.value())
                ? Optional.of((V) there.value)
                : Optional.empty();
    }
}
