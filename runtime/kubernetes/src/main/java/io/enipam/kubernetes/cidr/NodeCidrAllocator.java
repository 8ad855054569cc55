package io.enipam.kubernetes.cidr;

import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.kubernetes.cidr.NodeCidrFactory.LentAddress;
import io.enipam.sdk.Address;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Decides by the files which addresses of the node's CIDR are enipam's. If the file of an address of ours is missing or
 * empty, it is restored; if another program has taken the address meanwhile, it is left out of the list until that file
 * is gone. An empty file of any other address is removed. For one thread.
 *
 * <p>A file of ours that the database does not know is an idle address: its daemon ended before the pool recorded it,
 * or it was idle when the daemon ended. Outside of the CIDR such a file is useless and is removed.
 */
final class NodeCidrAllocator {
    private final NodeCidr cidr;
    private final AddressFileStore files;
    private final Supplier<Collection<LentAddress>> lent;
    private final Consumer<String> warnings;
    private final Map<ResourceId, Resource> made = new TreeMap<>();
    private final Set<String> taken = new HashSet<>();

    NodeCidrAllocator(
            NodeCidr cidr,
            AddressFileStore files,
            Collection<Resource> known,
            Supplier<Collection<LentAddress>> lent,
            Consumer<String> warnings) {
        this.cidr = cidr;
        this.files = files;
        this.lent = lent;
        this.warnings = warnings;
        known.forEach(resource -> made.put(resource.id(), resource));
    }

    /** Takes as many addresses as are free; fails the rest as exhausted. */
    List<CreateResult> allocate(int wanted) throws IOException {
        List<CreateResult> results = new ArrayList<>();
        try (AddressFileStore.LockHandle held = files.lock()) {
            IpIntervals used = used();
            Optional<Ip> next = cidr.ranges().next(files.lastReserved().map(Ip::parse), used);
            while (next.isPresent() && results.size() < wanted) {
                Resource resource = resource(next.get());
                used.add(next.get());
                if (files.reserve(host(resource), AddressOwner.IDLE)) {
                    made.put(resource.id(), resource);
                    results.add(new Created(resource));
                }
                next = cidr.ranges().next(next, used);
            }
            remember(results);
        } catch (IOException e) {
            if (results.isEmpty()) {
                throw e;
            }
            Failed failed = Failed.of(ErrorKind.UNAVAILABLE, String.valueOf(e.getMessage()));
            results.addAll(Collections.nCopies(wanted - results.size(), failed));
        }
        String why = "all " + cidr.capacity() + " addresses of the node's CIDR " + cidr + " are taken, " + made.size()
                + " of them by enipam; the files in " + files.location() + " say by whom";
        results.addAll(Collections.nCopies(wanted - results.size(), Failed.of(ErrorKind.ADDRESSES_EXHAUSTED, why)));
        return results;
    }

    /** What has a file that names an owner, and what is ours: that stays ours if its file is lost. */
    private IpIntervals used() throws IOException {
        IpIntervals used = new IpIntervals();
        files.owners().forEach((address, owner) -> {
            if (!owner.isUnnamed()) {
                used.add(Ip.parse(address));
            }
        });
        made.values().forEach(resource -> used.add(Ip.parse(host(resource))));
        return used;
    }

    /** Addresses taken before a failure stay taken: the next comparison reads the files. */
    private void remember(List<CreateResult> results) {
        if (!results.isEmpty() && results.get(results.size() - 1) instanceof Created last) {
            try {
                files.setLastReserved(host(last.resource()));
            } catch (IOException e) {
                warnings.accept(e.getMessage() + "; the next address may be one that was given back just now");
            }
        }
    }

    /** Removes the files; those of other programs stay. */
    List<DisposeResult> release(List<Resource> resources) throws IOException {
        List<DisposeResult> results = new ArrayList<>();
        try (AddressFileStore.LockHandle held = files.lock()) {
            for (Resource resource : resources) {
                try {
                    if (made.containsKey(resource.id())) {
                        files.free(host(resource));
                        made.remove(resource.id());
                        taken.remove(host(resource));
                    }
                    results.add(new Disposed(resource.id()));
                } catch (IOException e) {
                    results.add(Failed.of(ErrorKind.UNAVAILABLE, String.valueOf(e.getMessage())));
                }
            }
        }
        return results;
    }

    /** Our addresses, after files and database have been reconciled. */
    List<Resource> list() throws IOException {
        try (AddressFileStore.LockHandle held = files.lock()) {
            Map<String, AddressOwner> found = files.owners();
            Map<ResourceId, AddressOwner> owners = new HashMap<>();
            lent.get().forEach(one -> owners.put(one.resource(), one.owner()));
            adopt(found);
            List<Resource> ours = new ArrayList<>();
            for (Resource resource : made.values()) {
                if (isOurs(resource, Optional.ofNullable(owners.get(resource.id())), found)) {
                    ours.add(resource);
                }
            }
            return ours;
        }
    }

    /** Restores files of ours that were removed or emptied; takes the lock only if one must be restored. */
    void restoreFiles() throws IOException {
        Map<String, AddressOwner> found = files.owners();
        boolean missing = made.values().stream()
                .map(resource -> found.get(host(resource)))
                .anyMatch(owner -> owner == null || owner.isUnnamed());
        if (missing) {
            list();
        }
    }

    private void adopt(Map<String, AddressOwner> found) throws IOException {
        Set<String> known = made.values().stream().map(NodeCidrAllocator::host).collect(Collectors.toSet());
        for (Map.Entry<String, AddressOwner> file : found.entrySet()) {
            if (file.getValue().isUnnamed() && !known.contains(file.getKey())) {
                files.reclaim(file.getKey());
            } else if (file.getValue().ours() && !known.contains(file.getKey())) {
                Ip address = Ip.parse(file.getKey());
                if (cidr.pods().contains(address)) {
                    Resource resource = resource(address);
                    made.put(resource.id(), resource);
                } else {
                    files.free(file.getKey());
                }
            }
        }
    }

    private boolean isOurs(Resource resource, Optional<AddressOwner> owner, Map<String, AddressOwner> found)
            throws IOException {
        String address = host(resource);
        AddressOwner file = found.get(address);
        if (file == null || file.isUnnamed()) {
            if (files.reserve(address, owner.orElse(AddressOwner.IDLE))) {
                taken.remove(address);
                return true;
            }
            file = files.owner(address).orElse(AddressOwner.IDLE);
        }
        if (file.ours()) {
            if (owner.isEmpty() && !file.equals(AddressOwner.IDLE)) {
                // it was released while the file could not be written
                files.changeOwner(address, AddressOwner.IDLE);
            }
            taken.remove(address);
            return true;
        }
        if (owner.isPresent() && owner.get().sameSandbox(file)) {
            return true;
        }
        if (taken.add(address)) {
            warnings.accept(
                    "address " + address + " is " + owner.map(Object::toString).orElse("enipam's")
                            + " by the database, and " + file + " has its file in " + files.location()
                            + ": it is lent to nobody until that file is gone");
        }
        return false;
    }

    private Resource resource(Ip pod) {
        Address address = cidr.address(pod);
        ResourceId id = new ResourceId(NodeCidrFactory.NAME + "/" + address.host());
        Map<String, String> attributes = Map.of(Resource.GATEWAY, cidr.gateway());
        return new Resource(id, NodeCidrFactory.KIND, List.of(address), "", attributes);
    }

    private static String host(Resource resource) {
        return resource.addresses().get(0).host();
    }
}
