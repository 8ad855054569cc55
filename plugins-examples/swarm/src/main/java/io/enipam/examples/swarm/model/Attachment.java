package io.enipam.examples.swarm.model;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An attachment of a task or a node to a network.
 *
 * @param network as it was when the attachment was made
 * @param addresses each as {@code ADDRESS/LENGTH}
 * @param options of the driver
 */
public record Attachment(Network network, List<String> addresses, List<String> aliases, Map<String, String> options) {
    public Attachment {
        addresses = List.copyOf(addresses);
        aliases = List.copyOf(aliases);
        options = Collections.unmodifiableMap(new TreeMap<>(options));
    }

    public static Attachment of(Network network) {
        return new Attachment(network, List.of(), List.of(), Map.of());
    }

    public Attachment with(Network now) {
        return new Attachment(now, addresses, aliases, options);
    }

    public Attachment with(List<String> allocated) {
        return new Attachment(network, allocated, aliases, options);
    }
}
