package io.enipam.pluginhost;

import io.enipam.engine.tables.PluginTables;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Where plugins keep what outlives them on this node: a directory for each, and tables in the resource database.
 *
 * @param directories holds the plugins' directories
 * @param tables waits until the database is open; throws {@link JournalException} where there is none
 */
public record PluginStorage(Path directories, Supplier<PluginTables> tables) {
    /** @param why there are no tables, for the plugin that asks for them */
    public static PluginStorage withoutTables(Path directories, String why) {
        return new PluginStorage(directories, () -> {
            throw new JournalException(ErrorKind.UNAVAILABLE, why);
        });
    }
}
