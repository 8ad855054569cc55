package io.enipam.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What is allocated in a swarm: a line for each network, each service and the tasks of each service, from JSON in the shape of
 * {@code docker inspect}. Two swarms in which the same commands were run have the same lines, whatever the ids of their objects are.
 */
final class SwarmObjects {
    private static final String VXLANS = "com.docker.network.driver.overlay.vxlanid_list";

    private final Map<String, String> lines = new TreeMap<>();

    /** @param tasks of which more is told than that they exist: those of these services have other addresses in each swarm */
    SwarmObjects(
            Iterable<JsonNode> networks, Iterable<JsonNode> services, Iterable<JsonNode> tasks, Set<String> uncertain) {
        Map<String, String> networkNames = new HashMap<>();
        for (JsonNode network : networks) {
            if (network.path("Scope").asText().equals("swarm")) {
                networkNames.put(network.get("Id").asText(), network.get("Name").asText());
                lines.put("network " + network.get("Name").asText(), network(network));
            }
        }
        Map<String, String> serviceNames = new HashMap<>();
        Map<String, List<String>> tasksOf = new TreeMap<>();
        for (JsonNode service : services) {
            String name = service.at("/Spec/Name").asText();
            serviceNames.put(service.get("ID").asText(), name);
            lines.put("service " + name, service(service, networkNames));
            tasksOf.put(name, new ArrayList<>());
        }
        for (JsonNode task : tasks) {
            String service = serviceNames.getOrDefault(task.path("ServiceID").asText(), "one that is gone");
            tasksOf.computeIfAbsent(service, name -> new ArrayList<>())
                    .add(uncertain.contains(service) ? "one" : addresses(task));
        }
        tasksOf.forEach((service, all) ->
                lines.put("tasks of " + service, all.stream().sorted().toList().toString()));
    }

    private static String network(JsonNode network) {
        List<String> subnets = new ArrayList<>();
        network.at("/IPAM/Config").forEach(each -> {
            String range = each.path("IPRange").asText();
            subnets.add(each.path("Subnet").asText() + (range.isEmpty() ? "" : " range " + range) + " gateway "
                    + each.path("Gateway").asText());
        });
        // docker sends the subnets that were typed in any order
        return subnets.stream().sorted().toList() + " VXLANs "
                + network.path("Options").path(VXLANS).asText();
    }

    /** Virtual IPs and ports in their order. */
    private static String service(JsonNode service, Map<String, String> networks) {
        List<String> virtualIps = new ArrayList<>();
        service.at("/Endpoint/VirtualIPs")
                .forEach(vip -> virtualIps.add(networks.get(vip.get("NetworkID").asText()) + "="
                        + vip.path("Addr").asText()));
        return virtualIps + " " + ports(service.at("/Endpoint/Ports"));
    }

    private static List<String> ports(JsonNode ports) {
        List<String> all = new ArrayList<>();
        ports.forEach(port -> all.add((port.get("Protocol").asText() + ":"
                        + port.path("PublishedPort").asInt() + "->"
                        + port.get("TargetPort").asInt() + " "
                        + port.path("PublishMode").asText())
                .toLowerCase(Locale.ROOT)));
        return all;
    }

    private static String addresses(JsonNode task) {
        List<String> all = new ArrayList<>();
        task.path("NetworksAttachments")
                .forEach(attachment ->
                        all.add(attachment.at("/Network/Spec/Name").asText() + "=" + attachment.path("Addresses")));
        return all.toString();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        lines.forEach(
                (object, line) -> text.append(object).append(": ").append(line).append('\n'));
        return text.toString();
    }
}
