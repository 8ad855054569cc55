package io.enipam.pluginhost;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.NodeInfo;
import io.enipam.sdk.Role;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * What a host lends each plugin: where it keeps what outlives it (a directory, and tables in the resource database), and the
 * services of other jars of the SDK.
 *
 * @param directories holds the plugins' directories
 * @param journals opens the tables of the plugin with an id, which call back on its thread; waits until the database is open, and
 *     throws {@link JournalException} where there is none
 * @param services opened by their users' first calls
 */
public record PluginStorage(
        NodeInfo node, Path directories, BiFunction<String, Executor, Journal> journals, SdkServices services) {
    /** A host by its name and role. */
    public record HostNode(String name, Role role) implements NodeInfo {}

    /** The services of other jars of the SDK that a host offers, by their interfaces, each made for the plugin with an id. */
    public record SdkServices(Map<Class<?>, Function<String, ?>> offered) {
        public static final SdkServices NONE = new SdkServices(Map.of());

        public SdkServices {
            offered = Map.copyOf(offered);
        }

        /** With one more. */
        public <T> SdkServices and(Class<T> type, Function<String, T> forPlugin) {
            Map<Class<?>, Function<String, ?>> more = new HashMap<>(offered);
            more.put(type, forPlugin);
            return new SdkServices(more);
        }

        <T> Optional<T> lend(Class<T> type, String plugin) {
            return Optional.ofNullable(offered.get(type)).map(made -> type.cast(made.apply(plugin)));
        }
    }

    /** @param why there are no tables, for the plugin that asks for them */
    public static PluginStorage withoutTables(NodeInfo node, Path directories, String why) {
        return new PluginStorage(
                node,
                directories,
                (plugin, thread) -> {
                    throw new JournalException(ErrorKind.UNAVAILABLE, why);
                },
                SdkServices.NONE);
    }
}
