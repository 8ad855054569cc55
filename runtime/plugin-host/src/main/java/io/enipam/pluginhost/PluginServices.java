package io.enipam.pluginhost;

/** What the services ask about plugins, and change of them. */
public record PluginServices(PluginReporter reports, DiagnosticRunner diagnostics, PluginSwapper swaps) {}
