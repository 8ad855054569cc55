package io.enipam.sdk;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Something a factory made and the pool lends: an address of an ENI, a whole ENI, a host-local address.
 *
 * <p>Two resources of one factory are the same resource when their ids are equal; everything else describes it. Another factory, of
 * another kind or of the same, may give the same id to a resource of its own, with other addresses: the pool keeps them apart.
 *
 * @param id unique within the factory
 * @param kind what it is
 * @param addresses at least one, at most one per family
 * @param parent what it hangs on and goes away with (the ENI's id for an ENI IP), or empty text if it stands alone
 * @param attributes what the datapath needs to use it, for example {@code mac}, {@code gateway}, {@code vswitch}; at most
 *     32 entries, keys of 1 to 64 and values of at most 1,024 printable characters; no secrets, since they are stored and shown
 */
public record Resource(
        ResourceId id, ResourceKind kind, List<Address> addresses, String parent, Map<String, String> attributes) {
    /** The hardware address of the interface the resource hangs on. */
    public static final String MAC = "mac";
    /** The gateway of the resource's subnet. */
    public static final String GATEWAY = "gateway";
    /** The vSwitch the resource's addresses come from. */
    public static final String VSWITCH = "vswitch";
    /** {@code true} on a resource that cannot be disposed of before all its siblings, such as an ENI's primary IP. */
    public static final String PRIMARY = "primary";

    /**
     * The name of the factory that made the resource. The engine sets it, whatever the factory says, and it does not count
     * towards the 32.
     */
    public static final String FACTORY = "factory";

    private static final int MOST_ATTRIBUTES = 32;

    public Resource {
        addresses = List.copyOf(addresses);
        attributes = Map.copyOf(attributes);
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("resource " + id + " has no address");
        }
        if (addresses.size() > 1
                && addresses.stream().map(Address::family).distinct().count() != addresses.size()) {
            throw new IllegalArgumentException("resource " + id + " has two addresses of one family: " + addresses);
        }
        if (attributes.size() > (attributes.containsKey(FACTORY) ? MOST_ATTRIBUTES + 1 : MOST_ATTRIBUTES)) {
            throw new IllegalArgumentException("resource " + id + " has more than 32 attributes");
        }
    }

    /** Whether this resource goes last of its parent: {@link #PRIMARY} is {@code true}. */
    public boolean primary() {
        return Boolean.parseBoolean(attributes.get(PRIMARY));
    }

    /** The name of the factory that made it, or empty text if the engine has not seen it yet. */
    public String factory() {
        return attributes.getOrDefault(FACTORY, "");
    }

    /** The same resource, made by this factory. */
    public Resource madeBy(String factory) {
        if (factory.equals(factory())) {
            return this;
        }
        Map<String, String> more = new HashMap<>(attributes);
        more.put(FACTORY, factory);
        return new Resource(id, kind, addresses, parent, more);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Resource that && id.equals(that.id) && kind.equals(that.kind);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}
