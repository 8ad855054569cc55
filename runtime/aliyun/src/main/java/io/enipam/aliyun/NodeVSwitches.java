package io.enipam.aliyun;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.client.NodeIdentity;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Which vSwitches this node makes ENIs in: those configured for its zone that exist and are in it, else its own.
 *
 * @param usable described just now, in order of preference, at least one
 * @param problems what is wrong with the others, a line each
 */
record NodeVSwitches(List<VSwitch> usable, List<String> problems) {
    /**
     * Asks the cloud about each.
     *
     * @param dual whether only those with IPv6 are of use
     * @throws FactoryException if none can be used
     * @throws EcsException if the cloud does not answer
     */
    static NodeVSwitches find(Map<String, List<String>> byZone, boolean dual, NodeIdentity node, EcsApi api) {
        List<String> problems = new ArrayList<>();
        List<String> ids = byZone.getOrDefault(node.zoneId(), List.of());
        if (ids.isEmpty()) {
            if (!byZone.isEmpty()) {
                problems.add("'vswitches' names none for zone " + node.zoneId() + ", only for "
                        + String.join(", ", new TreeSet<>(byZone.keySet())) + "; the instance's own, "
                        + node.vswitchId() + ", is used");
            }
            ids = List.of(node.vswitchId());
        }
        List<VSwitch> usable = new ArrayList<>();
        for (String id : ids.stream().distinct().toList()) {
            look(id, dual, node, api, usable, problems);
        }
        if (usable.isEmpty()) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, String.join("; ", problems) + "; correct 'vswitches'");
        }
        return new NodeVSwitches(usable, problems);
    }

    private static void look(
            String id, boolean dual, NodeIdentity node, EcsApi api, List<VSwitch> usable, List<String> problems) {
        try {
            VSwitch found = api.describeVSwitch(id);
            if (dual && found.ipv6Cidr().isEmpty()) {
                problems.add(
                        "vSwitch " + id + " has no IPv6 block, and 'ip_stack: dual' needs one; turn on IPv6 for it, or"
                                + " set 'ip_stack: ipv4'");
            } else if (found.zoneId().isEmpty() || found.zoneId().equals(node.zoneId())) {
                usable.add(found);
            } else {
                problems.add("vSwitch " + id + " is in zone " + found.zoneId() + ", this instance in " + node.zoneId()
                        + "; an ENI can only be attached within its zone");
            }
        } catch (EcsException e) {
            if (!e.code().equals("InvalidVSwitchId.NotFound")) {
                throw e;
            }
            problems.add("vSwitch " + id + " of 'vswitches' does not exist in region " + node.regionId());
        }
    }
}
