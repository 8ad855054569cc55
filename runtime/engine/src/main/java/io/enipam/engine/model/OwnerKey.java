package io.enipam.engine.model;

import java.util.regex.Pattern;

/**
 * A pod sandbox's interface, the key of every lease: CNI's (network name, container id, interface name).
 *
 * <p>The pod's name is no part of it: a re-created pod is another owner, and a late DEL of the old sandbox finds nothing
 * of the new one's. The allowed characters are those of the CNI specification 1.1.0, section "Parameters".
 *
 * @param network {@code [A-Za-z0-9][A-Za-z0-9_.-]*}
 * @param containerId {@code [A-Za-z0-9][A-Za-z0-9_.-]*}
 * @param ifName 1 to 15 characters, not {@code .} or {@code ..}, no slash, colon or white space
 */
public record OwnerKey(String network, String containerId, String ifName) implements Comparable<OwnerKey> {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,252}");
    private static final Pattern INTERFACE = Pattern.compile("[^\\s/:\\p{Cntrl}]{1,15}");

    public OwnerKey {
        if (!NAME.matcher(network).matches()) {
            throw new IllegalArgumentException("invalid network name: [A-Za-z0-9][A-Za-z0-9_.-]* is allowed");
        }
        if (!NAME.matcher(containerId).matches()) {
            throw new IllegalArgumentException(
                    "invalid characters in containerID: [A-Za-z0-9][A-Za-z0-9_.-]* is allowed");
        }
        if (!INTERFACE.matcher(ifName).matches() || ifName.equals(".") || ifName.equals("..")) {
            throw new IllegalArgumentException(
                    "invalid interface name: 1 to 15 characters without '/', ':' and white space are allowed");
        }
    }

    /**
     * Reads the text form {@code NETWORK/CONTAINER/IFNAME}.
     *
     * @throws IllegalArgumentException if the text has another shape
     */
    public static OwnerKey parse(String text) {
        String[] parts = text.split("/", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("'" + text + "' is not NETWORK/CONTAINER/IFNAME");
        }
        return new OwnerKey(parts[0], parts[1], parts[2]);
    }

    /** The order of the text forms. */
    @Override
    public int compareTo(OwnerKey other) {
        int order = compare(network, other.network);
        if (order == 0) {
            order = compare(containerId, other.containerId);
        }
        return order == 0 ? ifName.compareTo(other.ifName) : order;
    }

    /** As if a slash followed both: without making the texts, since a start compares the keys of thousands of leases. */
    private static int compare(String one, String other) {
        int order = one.compareTo(other);
        int shorter = Math.min(one.length(), other.length());
        // where one begins with all of the other, the order of texts is the difference of their lengths
        if (order == 0 || order != one.length() - other.length() || !one.regionMatches(0, other, 0, shorter)) {
            return order;
        }
        return order < 0 ? '/' - other.charAt(shorter) : one.charAt(shorter) - '/';
    }

    @Override
    public String toString() {
        return network + "/" + containerId + "/" + ifName;
    }
}
