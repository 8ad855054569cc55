package io.enipam.pluginhost.load;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.Setting;
import java.util.List;

/** A plugin's diagnostic, which was asked once what it is. */
final class NamedDiagnostic implements Diagnostic {
    private final String name;
    private final String summary;
    private final List<Setting<?>> parameters;
    private final Diagnostic diagnostic;

    NamedDiagnostic(String name, String summary, List<Setting<?>> parameters, Diagnostic diagnostic) {
        this.name = name;
        this.summary = summary;
        this.parameters = List.copyOf(parameters);
        this.diagnostic = diagnostic;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String summary() {
        return summary;
    }

    @Override
    public List<Setting<?>> parameters() {
        return parameters;
    }

    @Override
    public DiagnosticTable run(DiagnosticRequest request) {
        return diagnostic.run(request);
    }

    @Override
    public String toString() {
        return name;
    }
}
