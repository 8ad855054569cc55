package io.enipam.aliyun.eni;

import java.util.List;
import java.util.Optional;

/**
 * What the node knows of who has which addresses together: by its database and its kernel. The cloud has two lists of
 * an ENI's addresses, and does not say which of them belong together; after a restart this is where a pod's two
 * addresses are found again. Thread-safe.
 */
@FunctionalInterface
public interface KnownAddressPairs {
    /** A node that knows nothing. */
    KnownAddressPairs NONE = List::of;

    /** Read anew each time; may wait for some seconds. */
    List<Pair> read();

    /**
     * The addresses of one pod.
     *
     * @param ipv4 in canonical text
     * @param ipv6 in canonical text; empty if there is no IPv6 address
     */
    record Pair(String ipv4, Optional<String> ipv6) {}
}
