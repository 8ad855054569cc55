package io.enipam.kubernetes.node;

import java.util.Map;

/**
 * A ConfigMap.
 *
 * @param version the server's word for this state of it: the same as long as nobody writes it
 * @param data its texts by key
 */
public record ConfigMapSnapshot(String version, Map<String, String> data) {
    public ConfigMapSnapshot {
        data = Map.copyOf(data);
    }
}
