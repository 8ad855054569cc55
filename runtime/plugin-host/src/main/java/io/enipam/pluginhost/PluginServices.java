package io.enipam.pluginhost;

/**
 * What the services ask about plugins, and change of them.
 *
 * @param reports describes them
 * @param diagnostics asks them about themselves
 * @param swaps changes which of their parts are in force
 */
public record PluginServices(PluginReporter reports, DiagnosticRunner diagnostics, PluginSwapper swaps) {}
