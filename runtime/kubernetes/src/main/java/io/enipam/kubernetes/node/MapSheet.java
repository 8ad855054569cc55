package io.enipam.kubernetes.node;

import java.util.Map;

/**
 * A ConfigMap.
 *
 * @param version the server's word for this state of it: the same as long as nobody writes it
 * @param data its texts by key
 */
public record MapSheet(String version, Map<String, String> data) {
    public MapSheet {
        data = Map.copyOf(data);
    }
}
