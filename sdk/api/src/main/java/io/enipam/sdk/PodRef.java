package io.enipam.sdk;

import java.util.regex.Pattern;

/**
 * A pod by name. Pods are ordered by namespace, then by name.
 *
 * @param namespace a DNS label, 1 to 63 characters
 * @param name a DNS subdomain, 1 to 253 characters
 */
public record PodRef(String namespace, String name) implements Comparable<PodRef> {
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

    public PodRef {
        Text.require("pod namespace", namespace, NAMESPACE);
        Text.require("pod name", name, NAME);
    }

    /**
     * Reads {@code NAMESPACE/NAME}.
     *
     * @throws IllegalArgumentException if the text has another shape
     */
    public static PodRef parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("pod '" + text + "' is not NAMESPACE/NAME");
        }
        return new PodRef(text.substring(0, slash), text.substring(slash + 1));
    }

    @Override
    public int compareTo(PodRef other) {
        int order = namespace.compareTo(other.namespace);
        return order == 0 ? name.compareTo(other.name) : order;
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
