package io.enipam.engine.pool;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a factory lists, as far as it makes sense.
 *
 * @param resources of the factory's kind, each once, stamped with its name
 * @param flawless whether all of it made sense; a list that does not proves of nothing that it is lost
 */
public record ValidatedList(List<Resource> resources, boolean flawless) {
    public ValidatedList {
        resources = List.copyOf(resources);
    }

    /** Selects the valid entries, and reports the others. */
    public static ValidatedList of(NamedFactory factory, ResourceKind kind, List<Resource> listed, EventSink events) {
        List<Resource> resources = new ArrayList<>();
        Set<ResourceId> seen = new HashSet<>();
        boolean flawless = true;
        for (Resource resource : listed) {
            String wrong = resource == null
                    ? "null"
                    : objection(resource, kind)
                            .orElseGet(() -> seen.add(resource.id()) ? "" : resource.id() + " twice");
            if (wrong.isEmpty()) {
                resources.add(resource.madeBy(factory.name()));
            } else {
                flawless = false;
                FactoryRegistry.reject(events, factory.name(), "lists " + wrong + ": that is left alone");
            }
        }
        return new ValidatedList(resources, flawless);
    }

    /** Why the pool takes no such resource from a factory of this kind; empty if it does. */
    public static Optional<String> objection(Resource resource, ResourceKind kind) {
        if (!resource.kind().equals(kind)) {
            return Optional.of(resource.id() + ", which is of the kind " + resource.kind());
        }
        return resource.addresses().stream()
                .filter(address -> !address.isAssignable())
                .map(address -> resource.id() + " with the address " + address + ", which no pod can have")
                .findFirst();
    }

    /** The same for one that was asked for. */
    public static Optional<String> objection(Resource resource, ResourceKind kind, Set<Family> wanted) {
        Set<Family> delivered =
                resource.addresses().stream().map(Address::family).collect(Collectors.toSet());
        return delivered.equals(wanted)
                ? objection(resource, kind)
                : Optional.of(resource.id() + " with " + delivered + ", asked for " + wanted);
    }

    /** Reports a resource whose id or address another one in the pool has: it is left alone, or kept aside. */
    public static void clash(EventSink events, String factory, Resource resource, Resource rival) {
        if (resource.id().equals(rival.id())) {
            known(events, factory, resource, rival);
            return;
        }
        String what = "address " + AddressFormat.of(resource) + " of factory " + factory + " is " + resource.id()
                + ", and the pool has " + rival.id()
                + " with it: the new one is kept aside, for no pod, until the other is gone";
        events.warning("ResourceClash", resource.id().value(), what);
    }

    /** Reports a resource that is in the pool already. */
    static void known(EventSink events, String factory, Resource resource, Resource rival) {
        String what = "factory " + factory + " names " + resource.id() + " with address " + AddressFormat.of(resource)
                + ", and the pool has that of factory " + rival.factory()
                + ": the pool's stays, the other is left alone";
        events.error("ResourceClash", resource.id().value(), what);
    }
}
