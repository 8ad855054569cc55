package io.enipam.config.dynamic;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.config.DaemonConfig;
import io.enipam.config.Subnets;
import io.enipam.engine.port.EventSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The addresses of the cluster's services, for whoever sets up a pod's network. Those that are a vSwitch's, too, are refused: packets
 * to other pods and nodes would go where services do. Thread-safe.
 */
public final class ServiceCidrResolver {
    private final Supplier<DaemonConfig> config;
    private final Supplier<Map<String, String>> vswitches;
    private final EventSink events;

    @GuardedBy("this")
    private List<String> told = List.of();

    /** @param vswitches the ranges of those that ENIs are made in, by id; none as long as the cloud has not told */
    public ServiceCidrResolver(Supplier<DaemonConfig> config, Supplier<Map<String, String>> vswitches, EventSink events) {
        this.config = config;
        this.vswitches = vswitches;
        this.events = events;
    }

    /** Subnets, one for each family at most; empty if nobody says, or none can be used. */
    public List<String> usable() {
        Map<String, String> ranges = vswitches.get();
        return config.get().serviceCidrs().stream()
                .filter(cidr -> ranges.values().stream().noneMatch(range -> overlap(cidr, range)))
                .toList();
    }

    /** Which of them cannot be used and why, one line each. */
    public List<String> refusals() {
        DaemonConfig now = config.get();
        List<String> lines = new ArrayList<>();
        vswitches
                .get()
                .forEach((id, range) -> now.serviceCidrs().stream()
                        .filter(cidr -> overlap(cidr, range))
                        .forEach(cidr -> lines.add("service_cidr " + cidr + " of " + now.serviceCidrSource()
                                + " overlaps vSwitch " + id + ", " + range
                                + ": it is not used, for packets to pods there would go where services do; set"
                                + " service_cidr")));
        return lines;
    }

    /** Tells of each that cannot be used, once as long as that lasts; asked when configuration or vSwitches are others. */
    public synchronized void refresh() {
        List<String> lines = refusals();
        List<String> known = told;
        lines.stream()
                .filter(line -> !known.contains(line))
                .forEach(line -> events.warning("ServiceCidrRefused", "config", line));
        told = lines;
    }

    private static boolean overlap(String cidr, String range) {
        return Subnets.overlap(cidr, range).orElse(false);
    }
}
