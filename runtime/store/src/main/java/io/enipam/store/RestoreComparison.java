package io.enipam.store;

import io.enipam.engine.model.Lease;
import io.enipam.sdk.Address;
import io.enipam.sdk.ResourceId;
import io.enipam.store.DatabaseTools.RestorePlan;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Leases in force beside the leases of a file: which of them stay, which would be lost, which would come back. */
final class RestoreComparison {
    private final Map<String, Lease> present;
    private final Map<String, Lease> coming;
    private final Map<InetAddress, Lease> comingByAddress = new HashMap<>();
    private final Map<ResourceId, Lease> comingByResource = new HashMap<>();

    private RestoreComparison(Map<String, Lease> present, Map<String, Lease> coming) {
        this.present = present;
        this.coming = coming;
        for (Lease lease : coming.values()) {
            comingByResource.put(lease.resource().id(), lease);
            lease.resource().addresses().forEach(address -> comingByAddress.put(address.ip(), lease));
        }
    }

    static RestoreComparison of(StoreSnapshot present, StoreSnapshot coming) {
        return new RestoreComparison(leases(present), leases(coming));
    }

    static Map<String, Lease> leases(StoreSnapshot snapshot) {
        RecordCodec codec = new RecordCodec();
        Map<String, Lease> leases = new LinkedHashMap<>();
        snapshot.of(Bucket.LEASES)
                .forEach(record -> leases.put(record.getKey(), codec.lease(record.getKey(), record.getValue())));
        return leases;
    }

    Map<String, Lease> present() {
        return present;
    }

    Map<String, Lease> coming() {
        return coming;
    }

    /** How many leases are in force and stay. */
    int kept() {
        return (int) present.keySet().stream().filter(this::stays).count();
    }

    /** How many leases are not in force and would be. */
    int returning() {
        return (int) coming.keySet().stream()
                .filter(owner -> !present.containsKey(owner))
                .count();
    }

    List<RestorePlan.Lost> lost() {
        List<RestorePlan.Lost> lost = new ArrayList<>();
        present.forEach((owner, lease) -> {
            if (!stays(owner)) {
                lost.add(new RestorePlan.Lost(lease, instead(owner, lease)));
            }
        });
        return lost;
    }

    /** The leases of the file that cannot be beside this one: of the same owner, or with an address of it. */
    Collection<Lease> inTheWayOf(Lease lease) {
        Map<String, Lease> others = new LinkedHashMap<>();
        Optional.ofNullable(coming.get(lease.owner().toString()))
                .ifPresent(other -> others.put(other.owner().toString(), other));
        for (Address address : lease.resource().addresses()) {
            Optional.ofNullable(comingByAddress.get(address.ip()))
                    .ifPresent(other -> others.put(other.owner().toString(), other));
        }
        Optional.ofNullable(comingByResource.get(lease.resource().id()))
                .ifPresent(other -> others.put(other.owner().toString(), other));
        return others.values();
    }

    /** Whether the lease that an owner has now is in the file, too, with the same addresses. */
    boolean stays(String owner) {
        Lease now = present.get(owner);
        Lease then = coming.get(owner);
        return now != null
                && then != null
                && now.resource().id().equals(then.resource().id())
                && now.resource().addresses().equals(then.resource().addresses());
    }

    private String instead(String owner, Lease lease) {
        Lease then = coming.get(owner);
        if (then != null) {
            return "the file has it with " + then.resource().addresses();
        }
        return inTheWayOf(lease).stream()
                .findFirst()
                .map(other -> "the file lends the address to " + other.pod())
                .orElse("not in the file");
    }
}
