package io.enipam.examples.swarm.model;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * To which network a task is to be attached.
 *
 * @param target a network's id
 * @param addresses that it asks for, each as {@code ADDRESS} or {@code ADDRESS/LENGTH}; empty for any
 * @param options of the driver
 */
public record AttachmentSpec(String target, List<String> aliases, List<String> addresses, Map<String, String> options) {
    public AttachmentSpec {
        aliases = List.copyOf(aliases);
        addresses = List.copyOf(addresses);
        options = Collections.unmodifiableMap(new TreeMap<>(options));
    }

    public static AttachmentSpec to(String network) {
        return new AttachmentSpec(network, List.of(), List.of(), Map.of());
    }
}
