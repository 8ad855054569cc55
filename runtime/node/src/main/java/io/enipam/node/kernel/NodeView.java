package io.enipam.node.kernel;

import io.enipam.datapath.link.LinkContext.NodeNetwork;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalInt;

/** The node's links and routes, for handlers that tell callers how to connect a pod. Thread-safe. */
public interface NodeView extends NodeNetwork {
    /**
     * The link with a hardware address, in this process's network namespace.
     *
     * @param mac in any case, with colons
     * @return its index, above zero; empty if there is none
     * @throws IOException if the kernel cannot be asked
     */
    OptionalInt linkOf(String mac) throws IOException;

    /** Whether {@code /sys} shows this process's network namespace; if not, {@link #linkOf} finds no link. */
    default boolean showsLinks() {
        return true;
    }

    /**
     * Whether a link of this name exists, in this process's network namespace.
     *
     * @throws IOException if the kernel cannot be asked
     */
    boolean hasLink(String name) throws IOException;

    /**
     * The single IPv4 addresses to which routes of the main table lead, each with the name of its link.
     *
     * @throws IOException if the kernel cannot be asked
     */
    Map<String, String> hostRoutes() throws IOException;
}
