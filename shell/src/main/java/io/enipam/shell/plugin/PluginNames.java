package io.enipam.shell.plugin;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ClosestMatch;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.PluginPart;
import io.enipam.v1.PluginSetting;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The names that plugins bring. Where the daemon refuses a name, a command says with them which one was meant. */
record PluginNames(List<Plugin> plugins) {
    /** A daemon that failed this way has not looked at the name, and is not asked again while the operator waits. */
    private static final Set<String> UNANSWERED = Set.of("DEADLINE_EXCEEDED", "UNIMPLEMENTED");

    List<String> ids() {
        return plugins.stream().map(Plugin::getId).toList();
    }

    List<String> policies() {
        return parts(Plugin::getPoliciesList);
    }

    List<String> factories() {
        return parts(Plugin::getFactoriesList);
    }

    private List<String> parts(Function<Plugin, List<PluginPart>> kind) {
        return plugins.stream()
                .flatMap(plugin -> kind.apply(plugin).stream())
                .map(PluginPart::getName)
                .toList();
    }

    List<String> diagnostics(String id) {
        return diagnosticsOf(id).map(PluginDiagnostic::getName).toList();
    }

    List<String> parameters(String id, String diagnostic) {
        return diagnosticsOf(id)
                .filter(each -> each.getName().equals(diagnostic))
                .flatMap(each -> each.getParametersList().stream())
                .map(PluginSetting::getName)
                .toList();
    }

    private Stream<PluginDiagnostic> diagnosticsOf(String id) {
        return plugins.stream()
                .filter(plugin -> plugin.getId().equals(id))
                .flatMap(plugin -> plugin.getDiagnosticsList().stream());
    }

    /** Asks the daemon; if it refuses and the name is none of the known ones, the refusal names the nearest. */
    static <T> T orNearest(
            DaemonCommand command, String name, Function<PluginNames, Collection<String>> known, Supplier<T> call) {
        try {
            return call.get();
        } catch (ShellException refusal) {
            throw explained(command, refusal, name, known).orElse(refusal);
        }
    }

    /**
     * The daemon's sentence with the name that was meant as a hint, or else with all names there are. Empty if the name
     * is a known one, or the daemon named another itself.
     */
    static Optional<ShellException> explained(
            DaemonCommand command,
            ShellException refusal,
            String name,
            Function<PluginNames, Collection<String>> known) {
        boolean hinted = refusal.sentence().toLowerCase(Locale.ROOT).contains("did you mean");
        if (refusal.exit() != ExitStatus.REFUSED || hinted || UNANSWERED.contains(refusal.code())) {
            return Optional.empty();
        }
        Collection<String> names;
        try {
            ListPluginsReply reply = command.inspect(stub -> stub.listPlugins(ListPluginsRequest.getDefaultInstance()));
            names = known.apply(new PluginNames(reply.getPluginsList()));
        } catch (ShellException noList) {
            return Optional.empty(); // the daemon's refusal stands without a hint
        }
        if (names.contains(name) || names.isEmpty()) {
            return Optional.empty();
        }
        String hint = ClosestMatch.to(name, names)
                .map(near -> "Did you mean '" + near + "'?")
                .orElse("There " + (names.size() == 1 ? "is " : "are ") + String.join(", ", names));
        String why = String.valueOf(refusal.getMessage());
        return Optional.of(new ShellException(refusal.exit(), refusal.code(), why, hint, refusal));
    }
}
