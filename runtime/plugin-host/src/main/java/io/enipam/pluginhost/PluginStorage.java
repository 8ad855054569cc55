package io.enipam.pluginhost;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

/**
 * Where plugins keep what outlives them on this node: a directory for each, and tables in the resource database.
 *
 * @param directories holds the plugins' directories
 * @param journals opens the tables of the plugin with an id, which call back on its thread; waits until the database is open, and
 *     throws {@link JournalException} where there is none
 */
public record PluginStorage(Path directories, BiFunction<String, Executor, Journal> journals) {
    /** @param why there are no tables, for the plugin that asks for them */
    public static PluginStorage withoutTables(Path directories, String why) {
        return new PluginStorage(directories, (plugin, thread) -> {
            throw new JournalException(ErrorKind.UNAVAILABLE, why);
        });
    }
}
