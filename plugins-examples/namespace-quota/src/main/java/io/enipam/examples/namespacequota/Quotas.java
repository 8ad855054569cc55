package io.enipam.examples.namespacequota;

import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.util.List;
import java.util.Map;

/**
 * The settings as they are now. Both are live: an operator who raises a quota need not restart the daemon.
 *
 * @param usual addresses of a namespace that {@code own} does not name
 * @param own addresses by namespace
 */
record Quotas(int usual, Map<String, Integer> own) {
    /** More than a node can have. */
    private static final int MOST = 100_000;

    private static final int MOST_NAMESPACES = 1_000;

    static final Setting<Integer> DEFAULT_LIMIT = Setting.wholeNumber("default_limit", 0, MOST, MOST)
            .unit("addresses")
            .doc("Addresses of this node for each namespace that limits does not name.")
            .live();
    static final Setting<Map<String, Integer>> LIMITS = Setting.map(
                    "limits",
                    "namespaces",
                    "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?",
                    Setting.wholeNumber("limit", 0, MOST, 0).unit("addresses"),
                    MOST_NAMESPACES,
                    Map.of())
            .doc("Addresses of this node by namespace.")
            .live();

    static final List<Setting<?>> SCHEMA = List.of(DEFAULT_LIMIT, LIMITS);

    static Quotas of(Settings settings) {
        return new Quotas(settings.get(DEFAULT_LIMIT), settings.get(LIMITS));
    }

    int of(String namespace) {
        return own.getOrDefault(namespace, usual);
    }

    /** The key by which an operator raises the quota of a namespace. */
    String keyOf(String namespace) {
        return own.containsKey(namespace) ? LIMITS.name() + "." + namespace : DEFAULT_LIMIT.name();
    }
}
