package io.enipam.diagnostics.sources.compare;

import io.enipam.diagnostics.sources.Sandboxes;
import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.ResourceDb;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Every lease's sandbox is connected with its address, and every connected sandbox has a lease. */
final class LeaseAndKernel implements Comparison {
    @Override
    public List<Difference> differences(Snapshot snapshot) {
        Optional<ResourceDb.Contents> db = snapshot.told(ResourceDb.Contents.class);
        Optional<Sandboxes> kernel = snapshot.told(Sandboxes.class);
        if (db.isEmpty() || kernel.isEmpty()) {
            return List.of();
        }
        Map<OwnerKey, Set<String>> connected = new HashMap<>();
        // a kernel may tell of one sandbox twice: one connection for each family
        kernel.get()
                .attached()
                .forEach(sandbox -> connected
                        .computeIfAbsent(sandbox.owner(), owner -> new HashSet<>())
                        .addAll(hosts(sandbox)));
        Map<OwnerKey, Lease> leases = new HashMap<>();
        db.get().leases().forEach(lease -> leases.put(lease.owner(), lease));
        List<Difference> found = new ArrayList<>();
        leases.values().stream()
                // a name made up for what is known by half has no sandbox
                .filter(lease -> !PlaceholderPod.is(lease.owner()))
                .forEach(lease -> lease(lease, Optional.ofNullable(connected.get(lease.owner())), found));
        kernel.get().attached().stream()
                .filter(sandbox -> !leases.containsKey(sandbox.owner()))
                .forEach(sandbox -> found.add(new Difference(
                        Kind.CONNECTED_WITHOUT_LEASE,
                        sandbox.owner().toString(),
                        hosts(sandbox),
                        "",
                        Optional.of(sandbox.owner()),
                        sandbox.pod(),
                        "container " + sandbox.owner().containerId() + " is connected and has no lease",
                        Facts.says(
                                Facts.KERNEL,
                                "connected with " + String.join(", ", hosts(sandbox)),
                                Facts.DATABASE,
                                "no lease"))));
        return found;
    }

    private static void lease(Lease lease, Optional<Set<String>> connected, List<Difference> found) {
        Set<String> leased = Facts.hosts(lease.resource());
        if (connected.filter(hosts -> hosts.containsAll(leased)).isPresent()) {
            return;
        }
        found.add(new Difference(
                Kind.LEASE_NOT_CONNECTED,
                lease.owner().toString(),
                leased,
                Saying.eniOf(lease.resource()),
                Optional.of(lease.owner()),
                Optional.of(lease.pod()),
                "pod " + lease.pod() + " has a lease of " + Facts.host(lease.resource())
                        + " and is not connected with it",
                Facts.says(
                        Facts.DATABASE,
                        Facts.leased(lease),
                        Facts.KERNEL,
                        connected
                                .map(hosts -> hosts.isEmpty()
                                        ? "half connected"
                                        : "connected with " + String.join(", ", hosts))
                                .orElse("not connected"))));
    }

    private static Set<String> hosts(Attachment sandbox) {
        return sandbox.addresses().stream().map(AddressFormat::text).collect(Collectors.toSet());
    }
}
