package io.enipam.shell.plugin;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ClosestMatch;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.PluginPart;
import io.enipam.v1.PluginSetting;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The names that plugins bring, and what somebody meant who typed another one. */
final class PluginNames {
    private final List<Plugin> plugins;

    PluginNames(List<Plugin> plugins) {
        this.plugins = plugins;
    }

    List<String> ids() {
        return plugins.stream().map(Plugin::getId).toList();
    }

    List<String> policies() {
        return plugins.stream()
                .flatMap(plugin -> plugin.getPoliciesList().stream())
                .map(PluginPart::getName)
                .toList();
    }

    List<String> factories() {
        return plugins.stream()
                .flatMap(plugin -> plugin.getFactoriesList().stream())
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

    /**
     * What to say of a refusal that a wrong name explains: the daemon's words, and the name that was meant, or else all
     * there are. Empty if the name is a known one, or the daemon named another itself.
     */
    static Optional<ShellException> explained(ShellException refusal, String name, Collection<String> known) {
        boolean told = refusal.sentence().toLowerCase(Locale.ROOT).contains("did you mean");
        if (refusal.exit() != ExitStatus.REFUSED || known.contains(name) || known.isEmpty() || told) {
            return Optional.empty();
        }
        String hint = ClosestMatch.to(name, known)
                .map(near -> "Did you mean '" + near + "'?")
                .orElse("There " + (known.size() == 1 ? "is " : "are ") + String.join(", ", known));
        return Optional.of(new ShellException(
                refusal.exit(), refusal.code(), String.valueOf(refusal.getMessage()), hint, refusal));
    }
}
