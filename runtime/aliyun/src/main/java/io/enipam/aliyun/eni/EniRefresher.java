package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.engine.model.Event.Severity;
import io.enipam.sdk.Disposed;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Brings the registry of one ENI in line with the cloud. All methods run inside a turn of the fleet. */
final class EniRefresher {
    private final EniRegistry fleet;
    private final ResourceMapper resources;
    /** Runs, in the same turn, when a description shows less than the registry has: it may lag. Set once. */
    Runnable onIncompleteRead = () -> {};

    EniRefresher(EniRegistry fleet, ResourceMapper resources) {
        this.fleet = fleet;
        this.resources = resources;
    }

    /** An ENI, and those of its addresses that are lent by the node's own knowledge though the registry does not have them. */
    private record Observation(Optional<NetworkInterface> eni, Set<String> lent) {}

    private Observation look(EcsApi api, String id) {
        Optional<NetworkInterface> seen =
                api.describeNetworkInterface(id).stream().findFirst();
        boolean news = seen.filter(it -> !fleet.read(() -> fleet.eni(id).stream()
                        .allMatch(eni -> eni.addresses().keySet().containsAll(it.ips()))))
                .isPresent();
        return new Observation(seen, news ? lent(fleet.known.read()) : Set.of());
    }

    /** The IPv4 addresses that pods have, or that are kept for pods, by what the node knows. */
    static Set<String> lent(List<KnownAddressPairs.Pair> pairs) {
        return pairs.stream().map(KnownAddressPairs.Pair::ipv4).collect(Collectors.toSet());
    }

    /** What a pod has of an ENI that is new to the registry is the engine's, as after a restart. */
    static void keepLent(Eni eni, Set<String> lent) {
        eni.addresses().forEach((ip, address) -> {
            if (address.is(Holder.SPARE) && lent.contains(ip)) {
                address.become(Holder.ENGINE);
                address.markDelivered();
            }
        });
    }

    /** Reads an ENI whose worker is busy; then the worker is idle, and gets the addresses that are new. */
    void refresh(Eni eni, Consumer<Set<String>> then) {
        String id = eni.id();
        long asked = fleet.nanos();
        List<String> waiting = fleet.waitingFor(eni);
        fleet.cloud.call(
                api -> look(api.onBehalfOf(waiting), id),
                seen -> {
                    eni.setBusy(false);
                    eni.assigning.clear();
                    Optional<NetworkInterface> shown = seen.eni();
                    boolean here = shown.filter(it -> it.status() == CloudEniStatus.IN_USE)
                            .isPresent();
                    if (!here || !missingLent(eni, shown.get(), asked).isEmpty()) {
                        onIncompleteRead.run();
                    }
                    then.accept(shown.map(it -> merge(eni, it, asked, seen.lent(), Set.of()))
                            .orElse(Set.of()));
                },
                failure -> {
                    eni.setBusy(false);
                    eni.assigning.clear();
                    then.accept(Set.of());
                });
    }

    /**
     * Takes over what the cloud says: addresses that are new are spare, those it has no more leave the registry. An address that
     * came or went a moment ago is as the registry has it: the cloud may not show that yet.
     *
     * @param asked when the cloud was asked: what changed since, or a moment before, it may not show
     * @param lent addresses that are the engine's if they are new to the registry
     * @param confirmed addresses that are missing in more than this reading; any other that the engine has stays its
     * @return addresses that are new to the registry, and spare
     */
    Set<String> merge(Eni eni, NetworkInterface seen, long asked, Set<String> lent, Set<String> confirmed) {
        fleet.endOperations(eni);
        Set<String> all = new HashSet<>(seen.ips());
        all.addAll(seen.ipv6s());
        eni.measureLag(all, asked, fleet.lag);
        Set<String> fresh = new LinkedHashSet<>(seen.ips());
        fresh.removeAll(eni.addresses().keySet());
        fresh.removeIf(ip -> !eni.isSettled(ip, asked, fleet.lag));
        fresh.forEach(eni::add);
        keepLent(eni, lent);
        fresh.removeIf(ip -> eni.find(ip).filter(it -> it.is(Holder.ENGINE)).isPresent());
        seen.ipv6s().stream()
                .filter(ip -> !eni.ipv6s().containsKey(ip) && eni.isSettled(ip, asked, fleet.lag))
                .toList()
                .forEach(eni::addIpv6);
        Set<String> missing = missing(eni, seen, asked);
        missing.removeIf(ip -> isEngines(eni, ip) && !confirmed.contains(ip));
        missing.stream()
                .filter(ip -> isEngines(eni, ip))
                .forEach(ip -> fleet.publish(
                        Severity.WARNING,
                        "EniAddressGone",
                        resources.id(eni, named(eni, ip)).value(),
                        "address " + ip + " is no longer on ENI " + eni.id() + ": another actor took it off",
                        Map.of("vswitch", eni.vswitch())));
        missing.forEach(eni::remove);
        eni.disposals.stream()
                .filter(disposal -> missing.contains(disposal.ip()))
                .forEach(disposal -> fleet.complete(disposal, new Disposed(disposal.id())));
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

    private static boolean isEngines(Eni eni, String ip) {
        return eni.find(ip).filter(it -> it.is(Holder.ENGINE)).isPresent();
    }

    /** The addresses that the engine has, and the cloud does not show. */
    Set<String> missingLent(Eni eni, NetworkInterface seen, long asked) {
        return missing(eni, seen, asked).stream()
                .filter(ip -> isEngines(eni, ip))
                .collect(Collectors.toSet());
    }

    /** The addresses that the registry has on an ENI, and the cloud has not; one on its way off is gone when it is not seen. */
    Set<String> missing(Eni eni, NetworkInterface seen, long asked) {
        Set<String> missing = new LinkedHashSet<>(eni.addresses().keySet());
        missing.addAll(eni.ipv6s().keySet());
        missing.removeAll(seen.ips());
        missing.removeAll(seen.ipv6s());
        missing.removeIf(ip ->
                eni.find(ip).filter(it -> it.is(Holder.LEAVING)).isEmpty() && !eni.isSettled(ip, asked, fleet.lag));
        return missing;
    }

    /** Whether the registry has an address that was there when the cloud was asked, and that the cloud does not show. */
    boolean isIncomplete(Eni eni, NetworkInterface seen, long asked) {
        return Stream.concat(eni.addresses().values().stream(), eni.ipv6s().values().stream())
                .anyMatch(address -> !address.is(Holder.LEAVING)
                        && !seen.ips().contains(address.ip())
                        && !seen.ipv6s().contains(address.ip())
                        && !eni.changedAfter(address.ip(), asked));
    }
}
