package io.enipam.shell.eni;

import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.PastLeases;
import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.Event;
import io.enipam.v1.Lease;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The ENIs of the past. One was there if it is there now, or an event of it followed, unless the first event that followed says that it was
 * made; and if a pod had an address of it. Of its addresses those of pods are known, its state if it has lasted since.
 */
final class PastEnis {
    private static final Set<String> BEGINNINGS = Set.of("EniCreated", "EniAdopted");
    private static final Set<String> OTHERS =
            Set.of("EniAttached", "EniReattached", "EniStuck", "EniLost", "EniDeleted");

    private PastEnis() {}

    /** Throws a {@link io.enipam.shell.attach.ShellException} if the history of leases does not know that moment. */
    static List<Eni> at(DaemonCommand command, Instant moment) {
        Map<String, Eni.Builder> enis = new TreeMap<>();
        List<Lease> leases = PastLeases.at(command, moment);
        Map<String, Event> followed = followed(command, moment);
        command.inspect(stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()))
                .getEnisList()
                .forEach(eni -> enis.put(eni.getId(), then(eni, moment)));
        followed.forEach((id, first) -> enis.computeIfAbsent(
                id,
                gone -> Eni.newBuilder()
                        .setId(gone)
                        .setMac(first.getAttributesOrDefault("mac", ""))
                        .setVswitch(first.getAttributesOrDefault("vswitch", ""))
                        .setPrimaryIp(first.getAttributesOrDefault("primaryIp", ""))));
        enis.keySet()
                .removeIf(id -> followed.containsKey(id)
                        && BEGINNINGS.contains(followed.get(id).getType()));
        for (Lease lease : leases) {
            String parent = lease.getResource().getParent();
            String id = parent.isEmpty() ? lease.getResource().getId() : parent; // a whole ENI is its own
            Eni.Builder eni = enis.computeIfAbsent(id, known -> Eni.newBuilder().setId(known));
            lease.getResource()
                    .getAddressesList()
                    .forEach(address -> eni.addAddresses(EniAddress.newBuilder()
                            .setAddress(address)
                            .setPrimary(address.equals(eni.getPrimaryIp()))
                            .setState(lease.getState())
                            .setPod(lease.getPod())));
        }
        return enis.values().stream().map(Eni.Builder::build).toList();
    }

    /** The first event of each ENI after the moment. */
    private static Map<String, Event> followed(DaemonCommand command, Instant moment) {
        WatchEventsRequest request = WatchEventsRequest.newBuilder()
                .setFrom(TimeFormat.timestamp(moment))
                .build();
        WatchEventsReply events = command.inspect(stub -> {
            WatchEventsReply.Builder all = WatchEventsReply.newBuilder();
            stub.watchEvents(request).forEachRemaining(all::mergeFrom);
            return all.build();
        });
        Map<String, Event> first = new HashMap<>();
        events.getEventsList().stream()
                .filter(event -> BEGINNINGS.contains(event.getType()) || OTHERS.contains(event.getType()))
                .filter(event -> TimeFormat.instant(event.getAt()).isAfter(moment))
                .forEach(event -> first.putIfAbsent(event.getSubject(), event));
        return first;
    }

    /** What never changes of one that is there now, and its state if that is as old. */
    private static Eni.Builder then(Eni eni, Instant moment) {
        Eni.Builder then = Eni.newBuilder()
                .setId(eni.getId())
                .setMac(eni.getMac())
                .setVswitch(eni.getVswitch())
                .setPrimaryIp(eni.getPrimaryIp());
        return eni.hasSince() && !TimeFormat.instant(eni.getSince()).isAfter(moment)
                ? then.setState(eni.getState()).setSince(eni.getSince())
                : then;
    }
}
