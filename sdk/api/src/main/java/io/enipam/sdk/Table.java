package io.enipam.sdk;

import java.util.regex.Pattern;

/**
 * A table of a plugin's {@link Journal}: a constant of the plugin. Two plugins may have tables of the same name.
 *
 * @param name {@code [a-z][a-z0-9-]*}, at most 63 characters; those that begin with {@code enipam-} are the host's
 * @param version of what the codec writes, from 1; raised with a change that an older codec could not read
 * @param codec reads rows of this version and all before it
 * @param <V> the type of values
 */
public record Table<V>(String name, int version, Codec<V> codec) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

    public Table {
        Text.require("table name", name, NAME);
        if (version < 1) {
            throw new IllegalArgumentException("version " + version + " of table " + name + " is below 1");
        }
    }
}
