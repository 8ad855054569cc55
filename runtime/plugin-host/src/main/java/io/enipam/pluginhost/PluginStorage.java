package io.enipam.pluginhost;

import io.enipam.engine.port.Leadership;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.NodeInfo;
import io.enipam.sdk.Role;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

/**
 * Where plugins keep what outlives them on a node: a directory for each, and tables in the resource database.
 *
 * @param directories holds the plugins' directories
 * @param journals opens the tables of the plugin with an id, which call back on its thread; waits until the database is open, and
 *     throws {@link JournalException} where there is none
 * @param leadership of this host among those that share the tables
 */
public record PluginStorage(
        NodeInfo node, Path directories, BiFunction<String, Executor, Journal> journals, Leadership leadership) {
    /** That of a host that shares its tables with no other. */
    public PluginStorage(NodeInfo node, Path directories, BiFunction<String, Executor, Journal> journals) {
        this(node, directories, journals, Leadership.alone(node.name()));
    }

    /** A host by its name and role. */
    public record HostNode(String name, Role role) implements NodeInfo {}

    /** @param why there are no tables, for the plugin that asks for them */
    public static PluginStorage withoutTables(NodeInfo node, Path directories, String why) {
        return new PluginStorage(node, directories, (plugin, thread) -> {
            throw new JournalException(ErrorKind.UNAVAILABLE, why);
        });
    }
}
