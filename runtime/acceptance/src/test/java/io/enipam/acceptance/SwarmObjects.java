package io.enipam.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What is allocated in a swarm: a line for each network, each service and the tasks of each service, from JSON in the shape of
 * {@code docker inspect}. Two swarms in which the same commands were run have the same lines, whatever the ids of their objects are, but
 * for the differences that are allowed.
 */
final class SwarmObjects {
    static final String VXLANS = "com.docker.network.driver.overlay.vxlanid_list";

    /** What may differ between Docker and the plugin: each by chance in Docker itself, so that two of its swarms differ as well. */
    enum Difference {
        /** Docker's command sends the subnets of a network as they come out of a map. */
        ORDER_OF_SUBNETS,
        /** Docker's command sorts the networks of a service by their ids, which are random; virtual IPs are in that order. */
        ORDER_OF_VIRTUAL_IPS,
        /** In which of the subnets of a network an address is searched first: swarmkit goes through a map, the plugin in their order. */
        SUBNET_OF_AN_ADDRESS,
        /** Which tasks of a service end when it is scaled down, and so which addresses are left. */
        TASKS_THAT_END
    }

    private final Map<String, String> lines = new TreeMap<>();
    private final Set<Difference> allowed;
    /** By their ids. */
    private final Map<String, String> networkNames = new HashMap<>();
    /** The names of those with several subnets. */
    private final Set<String> severalSubnets = new HashSet<>();

    /**
     * @param thinned the services that were scaled down to some tasks
     * @param allowed what is left out of the lines
     */
    SwarmObjects(
            Iterable<JsonNode> networks,
            Iterable<JsonNode> services,
            Iterable<JsonNode> tasks,
            Set<String> thinned,
            Set<Difference> allowed) {
        this.allowed = allowed;
        for (JsonNode network : networks) {
            if (network.path("Scope").asText().equals("swarm")) {
                String name = network.get("Name").asText();
                networkNames.put(network.get("Id").asText(), name);
                if (network.at("/IPAM/Config").size() > 1) {
                    severalSubnets.add(name);
                }
                lines.put("network " + name, network(network));
            }
        }
        Map<String, String> serviceNames = new HashMap<>();
        Map<String, List<String>> tasksOf = new TreeMap<>();
        for (JsonNode service : services) {
            String name = service.at("/Spec/Name").asText();
            serviceNames.put(service.get("ID").asText(), name);
            lines.put("service " + name, service(service));
            tasksOf.put(name, new ArrayList<>());
        }
        for (JsonNode task : tasks) {
            String service = serviceNames.getOrDefault(task.path("ServiceID").asText(), "one that is gone");
            boolean any = thinned.contains(service) && allowed.contains(Difference.TASKS_THAT_END);
            tasksOf.computeIfAbsent(service, name -> new ArrayList<>()).add(any ? "one" : addresses(task));
        }
        tasksOf.forEach((service, all) ->
                lines.put("tasks of " + service, all.stream().sorted().toList().toString()));
    }

    private Stream<String> sortedIf(Difference difference, List<String> all) {
        return allowed.contains(difference) ? all.stream().sorted() : all.stream();
    }

    private String network(JsonNode network) {
        List<String> subnets = new ArrayList<>();
        network.at("/IPAM/Config").forEach(each -> {
            String range = each.path("IPRange").asText();
            subnets.add(each.path("Subnet").asText() + (range.isEmpty() ? "" : " range " + range) + " gateway "
                    + each.path("Gateway").asText());
        });
        return sortedIf(Difference.ORDER_OF_SUBNETS, subnets).toList() + " VXLANs "
                + network.path("Options").path(VXLANS).asText();
    }

    /** Ports are in their order. */
    private String service(JsonNode service) {
        List<String> virtualIps = new ArrayList<>();
        service.at("/Endpoint/VirtualIPs").forEach(vip -> {
            String network = networkNames.get(vip.get("NetworkID").asText());
            virtualIps.add(network + "=" + address(network, vip.path("Addr")));
        });
        return sortedIf(Difference.ORDER_OF_VIRTUAL_IPS, virtualIps).toList() + " "
                + ports(service.at("/Endpoint/Ports"));
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

    /** Networks of a task in the order of their names: they have that of the virtual IPs. */
    private String addresses(JsonNode task) {
        List<String> all = new ArrayList<>();
        task.path("NetworksAttachments").forEach(attachment -> {
            String network = attachment.at("/Network/Spec/Name").asText();
            all.add(network + "=" + address(network, attachment.path("Addresses")));
        });
        return sortedIf(Difference.ORDER_OF_VIRTUAL_IPS, all).toList().toString();
    }

    private String address(String network, JsonNode address) {
        boolean any = severalSubnets.contains(network) && allowed.contains(Difference.SUBNET_OF_AN_ADDRESS);
        return any ? address.toString().replaceAll("[0-9.]+(?=/)", "one of them") : address.toString();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        lines.forEach(
                (object, line) -> text.append(object).append(": ").append(line).append('\n'));
        return text.toString();
    }
}
