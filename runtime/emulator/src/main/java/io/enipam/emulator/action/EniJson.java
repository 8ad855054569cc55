package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import java.util.List;

/** ENIs as the API writes them: every array inside an object of its own. */
final class EniJson {
    private EniJson() {}

    /** A new answer body. */
    static ObjectNode body() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** What both CreateNetworkInterface and DescribeNetworkInterfaces say of an ENI. */
    static ObjectNode of(EmulatedEni eni, CloudState state) {
        ObjectNode json = body();
        json.put("NetworkInterfaceId", eni.id());
        json.put("NetworkInterfaceName", eni.name());
        json.put("Description", eni.description());
        json.put("Status", eni.status().wireName());
        json.put("Type", eni.typeName());
        json.put("VpcId", state.vpc().id());
        json.put("VSwitchId", eni.vswitchId());
        json.put("ZoneId", state.zoneOf(eni.vswitchId()));
        json.put("MacAddress", eni.mac());
        json.put("PrivateIpAddress", eni.primaryIp());
        json.put("ServiceManaged", false);
        json.put("ResourceGroupId", "");
        json.set("PrivateIpSets", ipSets(eni));
        ArrayNode sixes = json.putObject("Ipv6Sets").putArray("Ipv6Set");
        eni.ipv6s().forEach(address -> sixes.addObject().put("Ipv6Address", address));
        ArrayNode prefixes = json.putObject("Ipv4PrefixSets").putArray("Ipv4PrefixSet");
        eni.ipv4Prefixes().forEach(prefix -> prefixes.addObject().put("Ipv4Prefix", prefix));
        json.putObject("Ipv6PrefixSets").putArray("Ipv6PrefixSet");
        strings(json.putObject("SecurityGroupIds").putArray("SecurityGroupId"), eni.securityGroups());
        ArrayNode tags = json.putObject("Tags").putArray("Tag");
        eni.tags().forEach((key, value) -> tags.addObject().put("TagKey", key).put("TagValue", value));
        return json;
    }

    /** The same with what only a listing says. */
    static ObjectNode listed(EmulatedEni eni, CloudState state) {
        ObjectNode json = of(eni, state);
        json.put("CreationTime", ApiTimestamps.of(eni.created()));
        json.put("DeleteOnRelease", eni.deleteOnRelease());
        String instance = eni.instanceId().orElse("");
        json.put("InstanceId", instance);
        ObjectNode attachment = json.putObject("Attachment");
        if (!instance.isEmpty()) {
            attachment.put("InstanceId", instance);
            attachment.put("DeviceIndex", state.enisOn(instance).indexOf(eni));
            attachment.put("NetworkCardIndex", 0);
            attachment.put("TrunkNetworkInterfaceId", eni.trunkId().orElse(""));
            strings(
                    attachment.putObject("MemberNetworkInterfaceIds").putArray("MemberNetworkInterfaceId"),
                    state.enisOn(instance).stream()
                            .filter(other ->
                                    other.trunkId().filter(eni.id()::equals).isPresent())
                            .map(EmulatedEni::id)
                            .toList());
        }
        return json;
    }

    /** {@code {"PrivateIpSet":[{"PrivateIpAddress","Primary"}]}}, the primary address first. */
    static ObjectNode ipSets(EmulatedEni eni) {
        ObjectNode sets = body();
        ArrayNode items = sets.putArray("PrivateIpSet");
        eni.addresses()
                .forEach(address -> items.addObject()
                        .put("PrivateIpAddress", address)
                        .put("Primary", address.equals(eni.primaryIp())));
        return sets;
    }

    /** Appends strings. */
    static void strings(ArrayNode array, List<String> values) {
        values.forEach(array::add);
    }
}
