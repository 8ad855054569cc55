package io.enipam.lab.replay;

import io.enipam.config.ConfigException;
import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The node and the cloud of a replay.
 *
 * @param files configuration as of a sandbox's daemon: {@code emulator.*} is the cloud, {@code pool.*} and the rest the node
 * @param throttle calls a minute that the cloud takes
 * @param errors by action, or {@code *}, of how many of a hundred calls the cloud fails, with InternalError; above 0 to 100
 */
public record CloudProfile(List<ConfigFile> files, ThrottleLimits throttle, Map<String, Double> errors) {
    private static final String LATENCY = "emulator.latency";

    public CloudProfile {
        files = List.copyOf(files);
        errors = Collections.unmodifiableMap(new TreeMap<>(errors));
    }

    /** Nothing configured: one ecs.g7.xlarge, a vSwitch of /24, the latency of the real cloud, and the limits that its clients assume. */
    public static CloudProfile usual() {
        return new CloudProfile(List.of(), ThrottleLimits.usual(), Map.of());
    }

    /**
     * The configuration. Where a sandbox's usual values are for demonstrations, those of a real node and cloud are usual here.
     *
     * @throws ConfigException with every problem of the files
     */
    DaemonConfig config(KnownPlugins known) {
        DaemonConfig written = ConfigLoader.load(files, true, Map.of(), known);
        return isUsual(written, LATENCY) ? ConfigLoader.load(files, true, Map.of(LATENCY, "real"), known) : written;
    }

    /** The engine's part of it. A sandbox's watermark must not bound the one that the files set, so the files are read as a real node's. */
    EngineConfig engine(KnownPlugins known) {
        return ConfigLoader.load(files, false, Map.of(), known).engine();
    }

    /** The lower and the upper watermark that it has in force. */
    public Watermarks watermarks(PolicyCatalog policies) {
        return engine(policies.known()).watermarks();
    }

    private static boolean isUsual(DaemonConfig config, String key) {
        return config.entries().stream()
                .anyMatch(entry -> entry.key().equals(key) && entry.source().equals("default"));
    }
}
