package io.enipam.pluginhost;

import io.enipam.engine.port.Leadership;
import io.enipam.pluginhost.extension.Claims;
import io.enipam.pluginhost.extension.Effects;
import io.enipam.pluginhost.extension.Voting;
import io.enipam.pluginhost.operator.PluginCommands;

/** What the services ask about plugins, and change of them. */
public record PluginServices(
        PluginReporter reports,
        DiagnosticRunner diagnostics,
        PluginCommands commands,
        PluginSwapper swaps,
        Effects effects,
        Claims claims,
        Leadership leadership,
        Voting voting) {}
