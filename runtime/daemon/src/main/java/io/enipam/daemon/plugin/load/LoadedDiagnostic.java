package io.enipam.daemon.plugin.load;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.Setting;
import java.util.List;

/**
 * A diagnostic with what it says of itself, asked once.
 *
 * @param parameters with different names
 */
public record LoadedDiagnostic(String name, String summary, List<Setting<?>> parameters, Diagnostic diagnostic) {}
