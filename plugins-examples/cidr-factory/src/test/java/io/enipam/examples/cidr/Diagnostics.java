package io.enipam.examples.cidr;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.Settings;
import io.enipam.sdk.testkit.Snapshots;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs a diagnostic as the daemon does. */
final class Diagnostics {
    private Diagnostics() {}

    static List<String> rows(CidrFactoryFixture bench, String name, String... arguments) {
        return rows(bench.plugin, bench.context.settings(), name, arguments);
    }

    static List<String> rows(CidrPlugin plugin, Settings settings, String name, String... arguments) {
        Diagnostic diagnostic = plugin.diagnostics().stream()
                .filter(d -> d.name().equals(name))
                .findFirst()
                .orElseThrow();
        Map<String, List<String>> given = new HashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            given.put(parts[0], List.of(parts[1]));
        }
        DiagnosticTable table = diagnostic.run(new DiagnosticRequest(
                Settings.of(diagnostic.parameters(), given), Snapshots.pool().build(), settings));
        return table.rows().stream().map(row -> String.join(" | ", row)).toList();
    }
}
