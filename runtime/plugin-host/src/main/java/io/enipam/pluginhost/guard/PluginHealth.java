package io.enipam.pluginhost.guard;

import java.time.Instant;

/**
 * How a plugin does.
 *
 * @param state whether it is asked
 * @param cause one line that says what is wrong; empty while nothing is
 * @param since when it came into this state
 */
public record PluginHealth(State state, String cause, Instant since) {
    /** Whether a plugin is asked. */
    public enum State {
        /** All of it is asked. */
        HEALTHY,
        /** Some part of it is not asked now: it keeps a thread, or it failed too often. */
        DEGRADED
    }
}
