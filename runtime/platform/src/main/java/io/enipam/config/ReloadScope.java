package io.enipam.config;

import static java.util.Map.entry;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How far a ConfigMap reaches: which settings it changes while the daemon runs, which with a restart, and which never. */
enum ReloadScope {
    /** In force at once. */
    LIVE,
    /** In force with the next start. */
    RESTART,
    /** A file's alone. */
    FILES;

    private static final String CONNECTION = "it decides whom the daemon believes";
    private static final String SECRET = "a ConfigMap is no place for a secret, nor for where it is found";
    private static final String PLACE = "a path is this host's own affair";
    private static final String SANDBOX = "it is of a sandbox";

    private static final Set<Setting<?>> AT_ONCE = Set.of(
            Schema.MIN_IDLE,
            Schema.MAX_IDLE,
            Schema.CAPACITY,
            Schema.COOL_DOWN,
            Schema.CHECK_INTERVAL,
            Schema.SYNC_INTERVAL,
            Schema.GC_INTERVAL,
            Schema.ALLOCATION_TIMEOUT,
            CloudSettings.VSWITCHES,
            CloudSettings.VSWITCH_POLICY,
            CloudSettings.RATE_LIMIT,
            Schema.RECLAIM_AFTER,
            Schema.RECLAIM_INTERVAL,
            Schema.RECLAIM_BATCH,
            Schema.RECLAIM_JITTER,
            Schema.SERVICE_CIDR,
            Schema.STICK_TIME,
            Schema.STATEFUL_KINDS,
            Schema.CONFIG_INTERVAL);

    private static final Map<Setting<?>, String> NEVER = Map.ofEntries(
            entry(CloudSettings.ACCESS_KEY, SECRET),
            entry(CloudSettings.ACCESS_SECRET, SECRET),
            entry(CloudSettings.CREDENTIAL_PATH, SECRET),
            entry(Schema.ENDPOINT, CONNECTION),
            entry(Schema.METADATA, CONNECTION),
            entry(Schema.NODE_NAME, CONNECTION),
            entry(Schema.CLUSTER_USE, CONNECTION),
            entry(Schema.CONFIG_NAMESPACE, CONNECTION),
            entry(Schema.CLUSTER_RATE, "it is needed before a ConfigMap can be read"),
            entry(Schema.KUBECONFIG, PLACE),
            entry(Schema.CONTROL_SOCKET, PLACE),
            entry(Schema.DEVICE_PLUGINS, PLACE),
            entry(Schema.METRICS_LISTEN, PLACE),
            entry(Schema.EMULATED_TYPE, SANDBOX),
            entry(Schema.EMULATED_VSWITCHES, SANDBOX),
            entry(Schema.EMULATED_LATENCY, SANDBOX),
            entry(Schema.EMULATOR_SEED, SANDBOX));

    /** Of a setting, or of the one that it stands for. */
    static ReloadScope of(Setting<?> setting) {
        Setting<?> main = setting.sameAs().isPresent() ? setting.sameAs().get() : setting;
        if (AT_ONCE.contains(main)) {
            return LIVE;
        }
        return NEVER.containsKey(main) ? FILES : RESTART;
    }

    /** Why a ConfigMap may not say it; empty if it may. */
    static Optional<String> objection(Setting<?> setting) {
        return Optional.ofNullable(NEVER.get(setting));
    }
}
