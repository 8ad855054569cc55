package io.enipam.engine.pool;

import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Resources that are kept aside, since another resource of the pool has their address: the cloud gives the address of
 * an ENI that another actor has deleted to the next one that asks, and the pods of the old ENI may still be there. Such
 * a resource counts towards the capacity and is not lent; it joins the pool as soon as the other one has left it. As
 * long as it is kept, the cloud gives its address to no other node either. Guarded by the pool's lock.
 *
 * <p>Each address is kept aside once: so there can be no more resources here than the pool has addresses.
 */
final class AddressConflicts {
    private final FactoryStates factories;
    private final List<Resource> kept = new ArrayList<>();

    AddressConflicts(FactoryStates factories) {
        this.factories = factories;
    }

    boolean has(Resource resource) {
        return kept.stream().anyMatch(other -> factories.same(other, resource));
    }

    int count() {
        return kept.size();
    }

    int count(Predicate<Resource> which) {
        return (int) kept.stream().filter(which).count();
    }

    Set<ResourceId> ids(Predicate<Resource> which) {
        return kept.stream().filter(which).map(Resource::id).collect(Collectors.toSet());
    }

    /**
     * @return false if it is the other one itself, or is kept already, or one with an address of it is: then nothing
     *     changes
     */
    boolean keep(Resource resource, Resource rival) {
        return !resource.id().equals(rival.id()) && !has(resource) && !isTaken(resource) && kept.add(resource);
    }

    private boolean isTaken(Resource resource) {
        Set<InetAddress> addresses =
                resource.addresses().stream().map(Address::ip).collect(Collectors.toSet());
        return kept.stream()
                .flatMap(other -> other.addresses().stream())
                .anyMatch(address -> addresses.contains(address.ip()));
    }

    void forget(Predicate<Resource> gone) {
        kept.removeIf(gone);
    }

    void reassign(String from, String to) {
        kept.replaceAll(resource -> resource.factory().equals(from) ? resource.madeBy(to) : resource);
    }

    List<Resource> take(Predicate<Resource> condition) {
        List<Resource> taken = kept.stream().filter(condition).toList();
        kept.removeIf(condition);
        return taken;
    }
}
