package io.enipam.examples.swarm.operate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.sdk.Row;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Objects as {@code docker inspect} shows them, as far as there is something to show.
 *
 * @see <a href="https://docs.docker.com/reference/api/engine/">the API of the Docker Engine</a>
 */
final class Inspect {
    private static final ObjectMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private Inspect() {}

    static String network(Network network) {
        return json(object(
                "Name", network.spec().name(),
                "Id", network.id(),
                "Scope", network.isOverlay() || network.driver().name().isEmpty() ? "swarm" : "local",
                "Driver",
                        network.driver().name().isEmpty()
                                ? network.spec().driver().name()
                                : network.driver().name(),
                "IPAM",
                        object(
                                "Driver", or(network.spec().ipam().driver().name(), "default"),
                                "Options",
                                        new TreeMap<>(
                                                network.spec().ipam().driver().options()),
                                "Config",
                                        network.ipam().subnets().stream()
                                                .map(Inspect::subnet)
                                                .toList()),
                "Attachable", network.spec().attachable(),
                "Ingress", network.isIngress(),
                "Options", new TreeMap<>(network.driver().options()),
                "Labels", new TreeMap<>(network.spec().labels())));
    }

    private static Map<String, Object> subnet(Network.Subnet subnet) {
        Map<String, Object> shown = object("Subnet", subnet.subnet());
        if (!subnet.range().isEmpty()) {
            shown.put("IPRange", subnet.range());
        }
        shown.put("Gateway", subnet.gateway());
        return shown;
    }

    static String service(Row<Service> row, int replicas) {
        Service service = row.value();
        Endpoint endpoint = service.endpoint();
        return json(object(
                "ID", service.id(),
                "Version", object("Index", row.revision()),
                "Spec",
                        object(
                                "Name", service.spec().name(),
                                "Labels", new TreeMap<>(service.spec().labels()),
                                "TaskTemplate",
                                        object(
                                                "Networks",
                                                service.spec().attached().stream()
                                                        .map(each -> object("Target", each.target()))
                                                        .toList()),
                                "Mode", object("Replicated", object("Replicas", replicas)),
                                "EndpointSpec", spec(service.spec().endpoint())),
                "Endpoint",
                        object(
                                "Spec", spec(endpoint.spec()),
                                "Ports", ports(endpoint.ports()),
                                "VirtualIPs",
                                        endpoint.virtualIps().stream()
                                                .map(vip -> object("NetworkID", vip.network(), "Addr", vip.address()))
                                                .toList())));
    }

    private static Map<String, Object> spec(Endpoint.Spec spec) {
        return spec.present() ? object("Mode", word(spec.mode()), "Ports", ports(spec.ports())) : new LinkedHashMap<>();
    }

    private static List<Map<String, Object>> ports(List<Port> ports) {
        return ports.stream()
                .map(port -> object(
                        "Protocol", word(port.protocol()),
                        "TargetPort", port.target(),
                        "PublishedPort", port.published(),
                        "PublishMode", word(port.mode())))
                .toList();
    }

    static String task(Row<Task> row) {
        Task task = row.value();
        return json(object(
                "ID", task.id(),
                "Version", object("Index", row.revision()),
                "Name", task.name(),
                "ServiceID", task.service(),
                "NodeID", task.node(),
                "Status",
                        object(
                                "Timestamp",
                                        Instant.ofEpochMilli(task.status().at()).toString(),
                                "State", word(task.status().state()),
                                "Message", task.status().message()),
                "NetworksAttachments",
                        task.networks().stream()
                                .map(each -> object(
                                        "Network",
                                        object(
                                                "ID", each.network().id(),
                                                "Spec",
                                                        object(
                                                                "Name",
                                                                each.network()
                                                                        .spec()
                                                                        .name())),
                                        "Addresses",
                                        each.addresses()))
                                .toList()));
    }

    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String or(String text, String usual) {
        return text.isEmpty() ? usual : text;
    }

    /** @param pairs keys and values in turn */
    private static Map<String, Object> object(Object... pairs) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            object.put((String) pairs[i], pairs[i + 1]);
        }
        return object;
    }

    /** A list of one, as Docker has it. */
    private static String json(Map<String, Object> object) {
        try {
            return JSON.writeValueAsString(List.of(object));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an object cannot be shown", e);
        }
    }
}
