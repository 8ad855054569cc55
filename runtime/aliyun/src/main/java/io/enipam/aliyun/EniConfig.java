package io.enipam.aliyun;

import io.enipam.aliyun.eni.EniBounds;
import io.enipam.aliyun.eni.FactorySettings.LostEniPolicy;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import java.util.List;
import java.util.Map;

/**
 * The ENIs this node makes: where, with what on them, and how many.
 *
 * @param vswitches vSwitch ids by zone, in order of preference; the node's own vSwitch if its zone has none
 * @param vswitchPolicy which of its zone's vSwitches the next ENI is made in
 * @param securityGroups 0 to 10, distinct; empty: the instance's own
 * @param tags put on every ENI beside the creator, node and cluster tags, which win
 * @param cluster the cluster's id, put on every ENI as a tag; empty: no such tag
 * @param bounds how many ENIs
 * @param dual whether each pod has an IPv6 address beside its IPv4 one
 * @param lostEni what becomes of an ENI that another actor takes off the instance while addresses of it are in use
 */
public record EniConfig(
        Map<String, List<String>> vswitches,
        VSwitchPolicy vswitchPolicy,
        List<String> securityGroups,
        Map<String, String> tags,
        String cluster,
        EniBounds bounds,
        boolean dual,
        LostEniPolicy lostEni) {
    public EniConfig {
        vswitches = Map.copyOf(vswitches);
        securityGroups = List.copyOf(securityGroups);
        tags = Map.copyOf(tags);
    }

    /** All that the instance type allows, in the instance's own vSwitch and security groups. */
    public static EniConfig defaults() {
        return new EniConfig(Map.of(), VSwitchPolicy.ORDERED, List.of(), Map.of(), "", EniBounds.none(), false, LostEniPolicy.REATTACH);
    }

    /** The same with these vSwitches. */
    public EniConfig withVSwitches(Map<String, List<String>> byZone, VSwitchPolicy policy) {
        return new EniConfig(byZone, policy, securityGroups, tags, cluster, bounds, dual, lostEni);
    }

    /** The same within these bounds. */
    public EniConfig withBounds(EniBounds others) {
        return new EniConfig(vswitches, vswitchPolicy, securityGroups, tags, cluster, others, dual, lostEni);
    }

    /** The same with addresses of both families, or of IPv4 alone. */
    public EniConfig dual(boolean both) {
        return new EniConfig(vswitches, vswitchPolicy, securityGroups, tags, cluster, bounds, both, lostEni);
    }
}
