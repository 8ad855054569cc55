package io.enipam.shell.eni;

import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.PastEvents.Followed;
import io.enipam.shell.core.PastLeases;
import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.Lease;
import io.enipam.v1.ListEnisRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The ENIs of the past. One was there if it is there now, or an event of it followed, unless the first event that followed says that it was
 * made; and if a pod had an address of it. Of its addresses those of pods are known, its state if it has lasted since.
 */
public final class PastEnis {
    private static final Set<String> BEGINNINGS = Set.of("EniCreated", "EniAdopted");
    private static final Set<String> OTHERS =
            Set.of("EniAttached", "EniReattached", "EniStuck", "EniLost", "EniDeleted");

    private PastEnis() {}

    /** Throws a {@link io.enipam.shell.attach.ShellException} if the history of leases does not know that moment. */
    static List<Eni> at(DaemonCommand command, Instant moment) {
        Map<String, Eni.Builder> enis = new TreeMap<>();
        List<Lease> leases = PastLeases.at(command, moment);
        Followed followed = followed(command, moment);
        command.inspect(stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()))
                .getEnisList()
                .forEach(eni -> enis.put(eni.getId(), then(eni, moment)));
        followed.first()
                .forEach((id, first) -> enis.computeIfAbsent(
                        id,
                        gone -> Eni.newBuilder()
                                .setId(gone)
                                .setMac(first.getAttributesOrDefault("mac", ""))
                                .setVswitch(first.getAttributesOrDefault("vswitch", ""))
                                .setPrimaryIp(first.getAttributesOrDefault("primaryIp", ""))));
        enis.keySet().removeIf(followed::began);
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

    /** What the events after the moment tell of ENIs, by their ids. */
    public static Followed followed(DaemonCommand command, Instant moment) {
        return Followed.ask(command, moment, BEGINNINGS, OTHERS, event -> List.of(event.getSubject()));
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
