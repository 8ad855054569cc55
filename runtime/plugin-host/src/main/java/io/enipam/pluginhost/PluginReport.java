package io.enipam.pluginhost;

import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.controller.ControllerView;
import io.enipam.pluginhost.endpoint.Endpoints.EndpointView;
import io.enipam.pluginhost.extension.Extensions.ExtensionView;
import io.enipam.pluginhost.guard.PluginCallCounts;
import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import io.enipam.pluginhost.guard.RecentFailures.PluginFailure;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.Setting;
import java.time.Instant;
import java.util.List;

/**
 * A plugin at one moment, for operators. What ships with the daemon is a plugin of the id {@value BuiltIns#ID}.
 *
 * @param manifest of one that could not be read, the name of its directory or jar as id, and nothing else; of what
 *     ships with the daemon, no range of SDK versions
 * @param source the directory or jar it came from
 */
public record PluginReport(
        PluginManifest manifest,
        String source,
        Status status,
        Parts parts,
        List<SettingInForce> settings,
        List<Diagnostic> diagnostics,
        Counts counts) {
    /**
     * What it can open.
     *
     * @param controllers those of its extensions that run
     * @param endpoints the same
     */
    public record Parts(
            List<Part> policies,
            List<Part> factories,
            List<ExtensionView> extensions,
            List<ControllerView> controllers,
            List<EndpointView> endpoints) {
        /** Of a plugin that could not be loaded. */
        public static final Parts NONE = new Parts(List.of(), List.of(), List.of(), List.of(), List.of());
    }

    /** {@code Plugin-Id}. */
    public String id() {
        return manifest.id();
    }

    public State state() {
        return status.state();
    }

    /** Why it is {@code DEGRADED} or {@code FAILED}; else empty. */
    public String cause() {
        return status.cause();
    }

    public Instant since() {
        return status.since();
    }

    /** @param cause why it is {@code DEGRADED} or {@code FAILED}; else empty */
    public record Status(State state, Instant since, String cause) {}

    /**
     * What became of the calls of a plugin since it was loaded.
     *
     * @param leakedThreads threads that outlived what started them
     * @param exitsStopped how often it tried to end the JVM
     * @param last the last failed calls, the newest first
     */
    public record Counts(PluginCallCounts calls, int leakedThreads, long exitsStopped, List<PluginFailure> last) {
        /** Of a plugin that was never called. */
        public static final Counts NONE =
                new Counts(new PluginCallCounts(0, 0, 0, 0, 0, 0, BreakerState.CLOSED), 0, 0, List.of());
    }

    public enum State {
        /** It is being loaded, or waits for that: what it brings is not known yet. */
        LOADING,
        /** It can be used, and nothing of it is in force. */
        LOADED,
        /** Something of it is in force. */
        ACTIVE,
        /** Something of it is in force, but calls fail, and are not made for now. */
        DEGRADED,
        /** It could not be loaded, or what is wanted of it could not be opened. */
        FAILED
    }

    /**
     * A policy or a factory.
     *
     * @param state {@code ACTIVE}, {@code COMING}, {@code LEAVING}, {@code OPEN} or {@code CLOSED}
     */
    public record Part(String name, String state, int resources, int leases) {}

    /**
     * @param value as an operator would write it; {@code ***} for a secret
     * @param source the file that set it, or {@code default}
     */
    public record SettingInForce(Setting<?> setting, String value, String source) {}
}
