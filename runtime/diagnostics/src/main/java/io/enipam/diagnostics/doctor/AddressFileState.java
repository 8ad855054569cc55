package io.enipam.diagnostics.doctor;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.kubernetes.cidr.AddressFileStore;
import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.sdk.Address;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The files of the addresses of the node's CIDR against the leases and the node's routes.
 *
 * @param place their directory; empty text if pods get no addresses of the node's CIDR
 * @param ours how many are enipam's
 * @param others how many are of others, host-local as a rule
 * @param odd those that do not fit
 */
public record AddressFileState(String place, int ours, int others, List<Odd> odd) {
    /** As long as a plugin has to connect a pod whose address it took. */
    private static final Duration CONNECTING = Duration.ofMinutes(2);

    /**
     * An address whose file does not fit.
     *
     * @param seen what is wrong with it, a few words
     */
    public record Odd(String address, String seen, Optional<Instant> written) {}

    public static AddressFileState none() {
        return new AddressFileState("", 0, 0, List.of());
    }

    /** @param routed the addresses that routes of the node lead to */
    public static AddressFileState of(
            AddressFileStore files, NodeCidr cidr, Collection<Lease> leases, Set<String> routed, Instant now)
            throws IOException {
        Map<String, AddressOwner> lent = new HashMap<>();
        for (Lease lease : leases) {
            if (lease.resource().factory().equals(NodeCidrFactory.NAME)) {
                OwnerKey owner = lease.owner();
                lent.put(
                        lease.resource().addresses().get(0).host(),
                        AddressOwner.sandbox(owner.containerId(), owner.ifName()));
            }
        }
        int ours = 0;
        int others = 0;
        List<Odd> odd = new ArrayList<>();
        Map<String, AddressOwner> found = files.owners();
        for (Map.Entry<String, AddressOwner> entry : found.entrySet()) {
            String address = entry.getKey();
            if (cidr.contains(Address.parse(address))) {
                ours += entry.getValue().ours() ? 1 : 0;
                others += entry.getValue().ours() ? 0 : 1;
                Optional<Instant> written = files.lastModified(address);
                if (written.filter(at -> at.plus(CONNECTING).isAfter(now)).isEmpty()) {
                    wrong(entry.getValue(), Optional.ofNullable(lent.get(address)), routed.contains(address))
                            .ifPresent(seen -> odd.add(new Odd(address, seen, written)));
                }
            }
        }
        lent.forEach((address, owner) -> {
            if (!found.containsKey(address)) {
                odd.add(new Odd(address, "has no file, and the database lends it to " + owner, Optional.empty()));
            }
        });
        return new AddressFileState(files.location(), ours, others, odd);
    }

    private static Optional<String> wrong(AddressOwner file, Optional<AddressOwner> lent, boolean routed) {
        if (file.isUnnamed()) {
            return Optional.of("its file names no owner: it is empty, or cannot be read");
        }
        if (lent.isPresent() && !file.ours() && !file.sameSandbox(lent.get())) {
            return Optional.of("its file is of " + file + ", and the database lends it to " + lent.get());
        }
        if (lent.isEmpty() && file.ours() && !file.equals(AddressOwner.IDLE)) {
            return Optional.of("its file names " + file + ", which has no lease");
        }
        return !file.ours() && !routed && lent.isEmpty()
                ? Optional.of("its file is of " + file + ", and no route of this node leads to it")
                : Optional.empty();
    }
}
