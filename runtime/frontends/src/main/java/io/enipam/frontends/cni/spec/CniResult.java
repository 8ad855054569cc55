package io.enipam.frontends.cni.spec;

import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.Lease;
import io.enipam.sdk.Address;
import io.enipam.sdk.Grant;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The result of an ADD on success (specification 1.1.0, "ADD Success"), in the form of the latest version.
 *
 * @param interfaces in the order in which addresses point to them
 * @param addresses CIDRs
 */
public record CniResult(List<Interface> interfaces, List<Ip> addresses, List<Route> routes, Dns dns) {
    /**
     * One interface. Empty text for what is not known.
     *
     * @param mtu 0 if it is not known
     */
    public record Interface(String name, String mac, long mtu, String sandbox, String socketPath, String pciId) {}

    /**
     * @param address a CIDR
     * @param gateway empty text for none
     * @param link index among the interfaces; empty for none
     */
    public record Ip(String address, String gateway, OptionalInt link) {
        boolean isIpv4() {
            return address.indexOf(':') < 0;
        }
    }

    /**
     * @param gateway empty text for none
     * @param attributes mtu, advmss, priority, table, scope, those that there are
     */
    public record Route(String destination, String gateway, Map<String, Long> attributes) {
        boolean isIpv4() {
            return destination.indexOf(':') < 0;
        }
    }

    /** A resolver's settings. Empty lists and text for nothing. */
    public record Dns(List<String> nameservers, String domain, List<String> search, List<String> options) {
        public static final Dns NONE = new Dns(List.of(), "", List.of(), List.of());
    }

    /** Of a pod that is connected; the bare addresses, as an IPAM plugin returns them, of one that is not. */
    public static CniResult of(Lease lease, DatapathResult wiring, Dns dns) {
        if (wiring.addresses().isEmpty()) {
            List<Ip> bare = lease.resource().addresses().stream()
                    .map(address -> new Ip(
                            new Address(address.ip(), address.family().bits()).toString(), "", OptionalInt.empty()))
                    .toList();
            return new CniResult(List.of(), bare, List.of(), dns);
        }
        return new CniResult(
                wiring.links().stream()
                        .map(link -> new Interface(link.name(), link.mac(), link.mtu(), link.sandbox(), "", ""))
                        .toList(),
                wiring.addresses().stream()
                        .map(ip -> new Ip(ip.address().toString(), ip.gateway(), OptionalInt.of(ip.link())))
                        .toList(),
                wiring.routes().stream()
                        .map(route -> new Route(route.destination(), route.gateway(), Map.of()))
                        .toList(),
                dns);
    }

    /** Of what an allocator has granted, as an IPAM plugin returns it; its own DNS, or else the configuration's. */
    public static CniResult of(Grant grant, Dns configured) {
        List<Ip> ips = grant.prefixes().stream()
                .map(prefix -> new Ip(prefix.address().toString(), host(prefix.gateway()), OptionalInt.empty()))
                .toList();
        List<Route> routes = grant.routes().stream()
                .map(route -> new Route(route.destination().toString(), host(route.gateway()), Map.of()))
                .toList();
        Dns dns = grant.dns()
                .map(own -> new Dns(own.nameservers(), own.domain(), own.search(), own.options()))
                .orElse(configured);
        return new CniResult(List.of(), ips, routes, dns);
    }

    private static String host(Optional<InetAddress> ip) {
        return ip.map(address -> new Address(address, 0).host()).orElse("");
    }

    /** The result of a plugin that comes after others: theirs, then its own; its own DNS if it has one. */
    public CniResult after(CniResult previous) {
        int offset = previous.interfaces.size();
        List<Ip> shifted = addresses.stream()
                .map(ip -> new Ip(
                        ip.address,
                        ip.gateway,
                        ip.link.isPresent() ? OptionalInt.of(ip.link.getAsInt() + offset) : ip.link))
                .toList();
        return new CniResult(
                joined(previous.interfaces, interfaces),
                joined(previous.addresses, shifted),
                joined(previous.routes, routes),
                dns.equals(Dns.NONE) ? previous.dns : dns);
    }

    private static <T> List<T> joined(List<T> some, List<T> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }
}
