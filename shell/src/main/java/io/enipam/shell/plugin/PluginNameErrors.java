package io.enipam.shell.plugin;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.v1.ListPluginsRequest;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** What commands about plugins share: where the daemon refuses a name, they say which names there are. */
final class PluginNameErrors {
    /** A daemon that failed this way has not looked at the name, and is not asked again while a person waits. */
    private static final Set<String> SPEECHLESS = Set.of("DEADLINE_EXCEEDED", "UNIMPLEMENTED");

    private final DaemonCommand command;

    PluginNameErrors(DaemonCommand command) {
        this.command = command;
    }

    /** The names of all plugins. */
    PluginNames names() {
        return new PluginNames(command.inspect(stub -> stub.listPlugins(ListPluginsRequest.getDefaultInstance()))
                .getPluginsList());
    }

    /**
     * Asks the daemon; if it refuses and the name is none of the known ones, the refusal names the nearest.
     *
     * @param known the names it might be, of all that there are
     */
    <T> T named(String name, Function<PluginNames, Collection<String>> known, Supplier<T> call) {
        try {
            return call.get();
        } catch (ShellException refusal) {
            throw explained(refusal, name, known).orElse(refusal);
        }
    }

    Optional<ShellException> explained(
            ShellException refusal, String name, Function<PluginNames, Collection<String>> known) {
        if (SPEECHLESS.contains(refusal.code())) {
            return Optional.empty();
        }
        try {
            return PluginNames.explained(refusal, name, known.apply(names()));
        } catch (ShellException silent) {
            return Optional.empty(); // a daemon that does not say what there is has still said no
        }
    }
}
