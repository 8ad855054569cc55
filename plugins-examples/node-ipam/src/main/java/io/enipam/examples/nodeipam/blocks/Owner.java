package io.enipam.examples.nodeipam.blocks;

/**
 * Who has addresses.
 *
 * @param name the node's, or the CIDR of services
 */
public record Owner(Kind kind, String name) {
    /** Who can have them. */
    public enum Kind {
        NODE,
        /** The addresses of services, which no node may have. */
        SERVICES
    }

    public static Owner node(String name) {
        return new Owner(Kind.NODE, name);
    }

    public static Owner services(String cidr) {
        return new Owner(Kind.SERVICES, cidr);
    }

    /** Such as {@code node worker-1}. */
    @Override
    public String toString() {
        return (kind == Kind.NODE ? "node " : "services ") + name;
    }
}
