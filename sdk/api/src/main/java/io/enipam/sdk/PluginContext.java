package io.enipam.sdk;

import java.time.Clock;
import java.util.Map;

/** What the daemon lends a plugin: its settings and the daemon's time. Thread-safe. */
public interface PluginContext {
    /** The plugin's own settings, as the daemon's configuration has them under the plugin's id. */
    Map<String, String> settings();

    /** The daemon's clock. A plugin that reads the time elsewhere cannot be simulated. */
    Clock clock();
}
