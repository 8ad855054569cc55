package io.enipam.sdk;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How a {@link Claim} wants to be served. Immutable. */
public interface Wishes {
    /** The families that the caller can use; empty if it does not say. */
    Set<Family> families();

    /** The addresses that it asks for, in its order, each once; empty for any. */
    List<InetAddress> addresses();

    /**
     * What else it says, by name. Of a CNI call: the members of {@code ipam} without {@code type} and {@code allocator}, then
     * those of {@code runtimeConfig} as {@code runtimeConfig.NAME} and of {@code args.cni} as {@code args.NAME}. A text is
     * itself; any other value is JSON.
     */
    Map<String, String> parameters();
}
