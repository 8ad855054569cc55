package io.enipam.frontends.rpc;

import io.enipam.engine.port.TimeSource;
import java.time.Duration;

/**
 * What a daemon is, for status and version.
 *
 * @param node the node's name
 * @param version enipam's version
 * @param root where the daemon keeps its files
 * @param emulated whether the cloud is the embedded emulator
 * @param sandbox whether the daemon lives and dies with the shell that started it
 * @param time the clock of its uptime
 * @param startedNanos when it started, by that clock
 */
public record DaemonInfo(
        String node,
        String version,
        String root,
        boolean emulated,
        boolean sandbox,
        TimeSource time,
        long startedNanos) {
    /** How long it has run. */
    public Duration uptime() {
        return Duration.ofNanos(time.nanoTime() - startedNanos);
    }
}
