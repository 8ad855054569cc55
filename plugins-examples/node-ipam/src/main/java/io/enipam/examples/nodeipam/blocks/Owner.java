package io.enipam.examples.nodeipam.blocks;

import java.util.Locale;

/**
 * Who has addresses.
 *
 * @param name the node's, the CIDR of services, or that of what is left of a node
 */
public record Owner(Kind kind, String name) {
    /** Who can have them. */
    public enum Kind {
        NODE,
        /** The addresses of services, which no node may have. */
        SERVICES,
        /** The blocks of a node that is gone, to which the cloud still leads them. */
        ROUTES
    }

    public static Owner node(String name) {
        return new Owner(Kind.NODE, name);
    }

    public static Owner services(String cidr) {
        return new Owner(Kind.SERVICES, cidr);
    }

    public static Owner routes(String of) {
        return new Owner(Kind.ROUTES, of);
    }

    /** Such as {@code node worker-1}. */
    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT) + " " + name;
    }
}
