package io.enipam.config;

import io.enipam.sdk.Family;
import java.util.List;
import java.util.Set;

/** Terway's {@code ip_stack}: which address families a pod has. */
final class IpStack {
    static final String IPV4 = "ipv4";
    static final String IPV6 = "ipv6";
    static final String DUAL = "dual";

    private IpStack() {}

    static boolean dual(SettingValues values) {
        return values.get(Schema.IP_STACK).equals(DUAL);
    }

    static Set<Family> families(SettingValues values) {
        return dual(values) ? Set.of(Family.IPV4, Family.IPV6) : Set.of(Family.IPV4);
    }

    /** What is asked for, and is not there. Nobody shall find out by a pod without the address that it was to have. */
    static void check(SettingValues values, List<ConfigProblem> problems) {
        String source = values.source(Schema.IP_STACK);
        if (values.get(Schema.IP_STACK).equals(IPV6)) {
            problems.add(new ConfigProblem(
                    source,
                    "ip_stack: 'ipv6' is not done by this daemon: an ENI has an IPv4 address all the same, and so has the pod;"
                            + " set 'dual' for pods with both, or 'ipv4'"));
        } else if (dual(values) && values.get(Schema.FACTORY).equals(DaemonMode.VPC.factory())) {
            problems.add(new ConfigProblem(
                    source,
                    "ip_stack: 'dual' and pool.factory '" + DaemonMode.VPC.factory() + "' (daemon.mode VPC) do not go"
                            + " together: that factory gives addresses of the node's IPv4 CIDR alone; set 'ipv4', or choose"
                            + " another mode"));
        }
    }
}
