package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.engine.model.Event.Severity;
import io.enipam.sdk.Disposed;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Brings the book of one ENI in line with the cloud. All methods run inside a turn of the fleet. */
final class EniReading {
    /** What to do with the addresses that are new to the book. */
    interface Then {
        void accept(Set<String> fresh);
    }

    private final Fleet fleet;
    private final Resources resources;

    EniReading(Fleet fleet, Resources resources) {
        this.fleet = fleet;
        this.resources = resources;
    }

    /** Reads an ENI whose worker is busy from the cloud; then its worker is idle, and things go on. */
    void again(Eni eni, Then then) {
        String id = eni.id();
        long asked = fleet.nanos();
        List<String> waiting = Beneficiaries.of(fleet, eni);
        fleet.cloud.call(
                api -> api.serving(waiting).describeNetworkInterface(id),
                seen -> {
                    eni.callEnded();
                    eni.assigning.clear();
                    if (seen.isEmpty()) {
                        then.accept(Set.of());
                        fleet.lose(eni, "the cloud has it no more: somebody else deleted it");
                    } else {
                        then.accept(merge(eni, seen.get(0), asked));
                    }
                },
                failure -> {
                    eni.callEnded();
                    eni.assigning.clear();
                    then.accept(Set.of());
                });
    }

    /**
     * Takes over what the cloud says: addresses it has more are nobody's, those it has no more leave the book. An address that
     * came or went a moment ago is as the book has it: the cloud may not show that yet.
     *
     * @param asked when the cloud was asked: what changed since, or a moment before, it may not show
     * @return addresses that are new to the book
     */
    Set<String> merge(Eni eni, NetworkInterface seen, long asked) {
        fleet.over(eni);
        Set<String> fresh = new LinkedHashSet<>(seen.ips());
        fresh.removeAll(eni.addresses().keySet());
        fresh.removeIf(ip -> !eni.isSettled(ip, asked));
        fresh.forEach(eni::add);
        seen.ipv6s().stream()
                .filter(ip -> !eni.ipv6s().containsKey(ip) && eni.isSettled(ip, asked))
                .toList()
                .forEach(eni::addIpv6);
        Set<String> missing = missing(eni, seen, asked);
        missing.stream()
                .filter(ip -> eni.find(ip).filter(it -> it.is(Holder.ENGINE)).isPresent())
                .forEach(ip -> fleet.publish(
                        Severity.WARNING,
                        "EniAddressGone",
                        resources.id(eni, named(eni, ip)).value(),
                        "address " + ip + " is no longer on ENI " + eni.id() + ": somebody else took it off",
                        Map.of("vswitch", eni.vswitch())));
        missing.forEach(eni::remove);
        eni.disposals.stream()
                .filter(disposal -> missing.contains(disposal.ip()))
                .forEach(disposal -> fleet.answer(disposal, new Disposed(disposal.id())));
        eni.disposals.removeIf(disposal -> missing.contains(disposal.ip()));
        fleet.pairing.settle(eni);
        eni.version++;
        return fresh;
    }

    /** The IPv4 address by which the resource is named that an address is of. */
    private static String named(Eni eni, String ip) {
        boolean six = eni.ipv6s().containsKey(ip);
        return eni.find(ip)
                .filter(it -> six)
                .flatMap(EniAddress::partner)
                .map(EniAddress::ip)
                .orElse(ip);
    }

    /** The addresses that the book has on an ENI, and the cloud has not; one on its way off is gone when it is not seen. */
    Set<String> missing(Eni eni, NetworkInterface seen, long asked) {
        Set<String> missing = new LinkedHashSet<>(eni.addresses().keySet());
        missing.addAll(eni.ipv6s().keySet());
        missing.removeAll(seen.ips());
        missing.removeAll(seen.ipv6s());
        missing.removeIf(ip -> eni.find(ip).filter(it -> it.is(Holder.LEAVING)).isEmpty() && !eni.isSettled(ip, asked));
        return missing;
    }

    /** Whether the book has an address that was there when the cloud was asked, and that the cloud does not show. */
    boolean isInDoubt(Eni eni, NetworkInterface seen, long asked) {
        return Stream.concat(eni.addresses().values().stream(), eni.ipv6s().values().stream())
                .anyMatch(address -> !address.is(Holder.LEAVING)
                        && !seen.ips().contains(address.ip())
                        && !seen.ipv6s().contains(address.ip())
                        && !eni.changedAfter(address.ip(), asked));
    }
}
