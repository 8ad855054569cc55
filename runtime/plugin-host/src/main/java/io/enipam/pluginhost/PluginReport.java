package io.enipam.pluginhost;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.Setting;
import java.time.Instant;
import java.util.List;

/**
 * A plugin at one moment, for people. What ships with the daemon is a plugin of the id {@value BuiltIns#ID}.
 *
 * @param id of one that could not be read, the name of its directory or jar
 * @param sdk the range of SDK versions it was made for; empty for what ships with the daemon
 * @param cause why it is {@code DEGRADED} or {@code FAILED}; else empty
 * @param source the directory or jar it came from
 */
public record PluginReport(
        String id,
        String version,
        String sdk,
        State state,
        Instant since,
        String cause,
        String source,
        List<Part> policies,
        List<Part> factories,
        List<SettingInForce> settings,
        List<Diagnostic> diagnostics,
        PluginCounts counts) {
    /** How a plugin fares. */
    public enum State {
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
     * @param resources how many resources of a factory there are
     * @param leases how many of those are lent
     */
    public record Part(String name, String state, int resources, int leases) {}

    /**
     * A setting with its value.
     *
     * @param value as a person would write it; {@code ***} for a secret
     * @param source the file that set it, or {@code default}
     */
    public record SettingInForce(Setting<?> setting, String value, String source) {}
}
