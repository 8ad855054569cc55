package io.enipam.config.dynamic;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.engine.port.EventSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The addresses of the cluster's services, for the set-up of a pod's network. Subnets that overlap a vSwitch are
 * refused: packets to other pods and nodes would follow the route of services. Thread-safe.
 */
public final class ServiceCidrResolver {
    private final Supplier<DaemonConfig> config;
    private final Supplier<Map<String, String>> vswitches;
    private final EventSink events;

    @GuardedBy("this")
    private List<String> told = List.of();

    /** @param vswitches the ranges of the vSwitches for ENIs, by id; empty until the cloud has answered */
    public ServiceCidrResolver(
            Supplier<DaemonConfig> config, Supplier<Map<String, String>> vswitches, EventSink events) {
        this.config = config;
        this.vswitches = vswitches;
        this.events = events;
    }

    /** One subnet for each family at most; empty if no source gives any, or none is usable. */
    public List<String> usable() {
        Map<String, String> ranges = vswitches.get();
        return config.get().get(Schema.SERVICE_CIDR).stream()
                .filter(cidr -> ranges.values().stream().noneMatch(range -> overlap(cidr, range)))
                .toList();
    }

    /** The unusable subnets with the reason, one line each. */
    public List<String> refusals() {
        DaemonConfig now = config.get();
        List<String> lines = new ArrayList<>();
        vswitches
                .get()
                .forEach((id, range) -> now.get(Schema.SERVICE_CIDR).stream()
                        .filter(cidr -> overlap(cidr, range))
                        .forEach(cidr -> lines.add("service_cidr " + cidr + " of " + now.source(Schema.SERVICE_CIDR)
                                + " overlaps vSwitch " + id + ", " + range
                                + ": it is not used, for packets to pods there would go where services do; set"
                                + " service_cidr")));
        return lines;
    }

    /** Reports each unusable subnet, once while that lasts; called when configuration or vSwitches change. */
    public synchronized void refresh() {
        List<String> lines = refusals();
        List<String> known = told;
        lines.stream()
                .filter(line -> !known.contains(line))
                .forEach(line -> events.warning("ServiceCidrRefused", "config", line));
        told = lines;
    }

    private static boolean overlap(String cidr, String range) {
        IPAddress one = new IPAddressString(cidr).getAddress();
        IPAddress other = new IPAddressString(range).getAddress();
        return one != null
                && other != null
                && one.isIPv4() == other.isIPv4()
                && one.toPrefixBlock().intersect(other.toPrefixBlock()) != null;
    }
}
