package io.enipam.pluginhost;

import io.enipam.pluginhost.extension.Claims;
import io.enipam.pluginhost.extension.Effects;

/** What the services ask about plugins, and change of them. */
public record PluginServices(
        PluginReporter reports, DiagnosticRunner diagnostics, PluginSwapper swaps, Effects effects, Claims claims) {}
