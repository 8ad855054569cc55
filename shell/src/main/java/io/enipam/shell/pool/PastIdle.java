package io.enipam.shell.pool;

import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.PastEvents.Followed;
import io.enipam.shell.core.PastLeases;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.eni.PastEnis;
import io.enipam.v1.Event;
import io.enipam.v1.Lease;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.Resource;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The addresses of the past that no pod had. One was in the pool if it is there now, or an event of it followed, unless the first event that
 * followed says that it came, or that its ENI did. Whether it was idle, cooling or reserved is known if it has been so since.
 */
final class PastIdle {
    private static final Set<String> BEGINNINGS = Set.of("ResourceCreated", "AddressAdopted");
    private static final Set<String> OTHERS =
            Set.of("ResourceDisposed", "AddressReturned", "AddressLost", "ResourceKept");

    private PastIdle() {}

    /** Throws a {@link io.enipam.shell.attach.ShellException} if the history of leases does not know that moment. */
    static List<PoolEntry> at(DaemonCommand command, Instant moment) {
        List<Lease> lent = PastLeases.at(command, moment);
        Followed followed = Followed.ask(command, moment, BEGINNINGS, OTHERS, PastIdle::resources);
        Map<String, PoolEntry> entries = new TreeMap<>();
        command.startStream(stub -> stub.listIdle(ListIdleRequest.getDefaultInstance()))
                .forEachRemaining(part -> part.getEntriesList()
                        .forEach(entry -> entries.put(entry.getResource().getId(), then(entry, moment))));
        command.startStream(stub -> stub.listInUse(ListInUseRequest.getDefaultInstance()))
                .forEachRemaining(part -> part.getLeasesList()
                        .forEach(lease -> entries.put(lease.getResource().getId(), bare(lease.getResource()))));
        followed.first().keySet().forEach(id -> entries.computeIfAbsent(id, gone -> bare(resource(gone))));
        Followed enis = PastEnis.followed(command, moment);
        entries.values()
                .removeIf(entry -> followed.began(entry.getResource().getId())
                        || enis.began(entry.getResource().getParent()));
        lent.forEach(lease -> entries.remove(lease.getResource().getId()));
        return List.copyOf(entries.values());
    }

    /** Of addresses that are lost together, one event tells. */
    private static Collection<String> resources(Event event) {
        String together = event.getAttributesOrDefault("resources", "");
        return together.isEmpty() ? List.of(event.getSubject()) : Arrays.asList(together.split(","));
    }

    private static PoolEntry then(PoolEntry entry, Instant moment) {
        return TimeFormat.instant(entry.getSince()).isAfter(moment) ? bare(entry.getResource()) : entry;
    }

    private static PoolEntry bare(Resource resource) {
        return PoolEntry.newBuilder().setResource(resource).build();
    }

    /** What an id says of a resource that is gone: ENI/ADDRESS. */
    private static Resource resource(String id) {
        int slash = id.indexOf('/');
        Resource.Builder resource = Resource.newBuilder().setId(id);
        return slash < 0
                ? resource.build()
                : resource.setParent(id.substring(0, slash))
                        .addAddresses(id.substring(slash + 1))
                        .build();
    }
}
