package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action.Result;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EmulatedEni.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The actions that describe ENIs, and ENIs as the API writes them: every array inside an object of its own. */
final class EniQueries {
    private static final int MOST_LISTED = 100;
    private static final Page.Bounds BOUNDS = new Page.Bounds(10, 500, 1000);
    private static final List<String> STATUSES =
            Arrays.stream(EniStatus.values()).map(EniStatus::wireName).toList();
    private static final List<String> TYPES = Stream.concat(
                    Arrays.stream(EniKind.values()).map(EniKind::wireName), Stream.of("Member"))
            .toList();

    private EniQueries() {}

    /** DescribeNetworkInterfaces: the ENIs that pass all the filters given, in the order of their creation. */
    static Result describe(ActionCall call) {
        Predicate<EmulatedEni> filter = filter(call.params(), call.state());
        List<EmulatedEni> enis =
                call.state().enis().values().stream().filter(filter).toList();
        Page<EmulatedEni> page = Page.cut(call.params(), enis, EmulatedEni::sequence, BOUNDS);
        ArrayNode items = page.head().putObject("NetworkInterfaceSets").putArray("NetworkInterfaceSet");
        page.items().forEach(eni -> items.add(listed(eni, call.state())));
        return call.answer(page.head());
    }

    /** DescribeNetworkInterfaceAttribute: one ENI. */
    static Result describeAttribute(ActionCall call) {
        return call.answer(listed(call.eni(), call.state()));
    }

    private static Predicate<EmulatedEni> filter(Params params, CloudState state) {
        known(params, "Status", STATUSES);
        known(params, "Type", TYPES);
        boolean managed = params.bool("ServiceManaged").orElse(false);
        List<String> ids = params.list("NetworkInterfaceId", MOST_LISTED);
        List<String> ips = params.list("PrivateIpAddress", MOST_LISTED);
        List<String> sixes = params.list("Ipv6Address", MOST_LISTED);
        Map<String, Optional<String>> tags = TagActions.toMatch(params);
        Optional<String> group = params.get("SecurityGroupId");
        return eni -> (ids.isEmpty() || ids.contains(eni.id()))
                && (ips.isEmpty() || eni.addresses().stream().anyMatch(ips::contains))
                && (sixes.isEmpty() || eni.ips().ipv6s().stream().anyMatch(sixes::contains))
                && TagActions.match(eni.attributes().tags(), tags)
                && params.asks("InstanceId", eni.attachment().instanceId().orElse(""))
                && params.asks("VpcId", state.layout().vpc().id())
                && params.asks("VSwitchId", eni.ips().vswitchId())
                && params.asks("Status", eni.attachment().status().wireName())
                && params.asks("Type", eni.typeName())
                && params.asks("PrimaryIpAddress", eni.ips().primaryIp())
                && params.asks("NetworkInterfaceName", eni.attributes().name())
                && !managed
                && params.asks("ResourceGroupId", "")
                && group.map(eni.attributes().securityGroups()::contains).orElse(true);
    }

    private static void known(Params params, String name, List<String> values) {
        params.get(name).filter(value -> !values.contains(value)).ifPresent(value -> {
            throw Params.invalid(name);
        });
    }

    /** The fields that CreateNetworkInterface and DescribeNetworkInterfaces share. */
    static ObjectNode json(EmulatedEni eni, CloudState state) {
        ObjectNode json = ActionCall.body()
                .put("NetworkInterfaceId", eni.id())
                .put("NetworkInterfaceName", eni.attributes().name())
                .put("Description", eni.attributes().description())
                .put("Status", eni.attachment().status().wireName())
                .put("Type", eni.typeName())
                .put("VpcId", state.layout().vpc().id())
                .put("VSwitchId", eni.ips().vswitchId())
                .put("ZoneId", state.zoneOf(eni.ips().vswitchId()))
                .put("MacAddress", eni.mac())
                .put("PrivateIpAddress", eni.ips().primaryIp())
                .put("ServiceManaged", false)
                .put("ResourceGroupId", "");
        json.set("PrivateIpSets", ipSets(eni));
        ArrayNode sixes = json.putObject("Ipv6Sets").putArray("Ipv6Set");
        eni.ips().ipv6s().forEach(address -> sixes.addObject().put("Ipv6Address", address));
        ArrayNode prefixes = json.putObject("Ipv4PrefixSets").putArray("Ipv4PrefixSet");
        eni.ips().ipv4Prefixes().forEach(prefix -> prefixes.addObject().put("Ipv4Prefix", prefix));
        strings(json, "Ipv6PrefixSets", "Ipv6PrefixSet", List.of());
        strings(json, "SecurityGroupIds", "SecurityGroupId", eni.attributes().securityGroups());
        ArrayNode tags = json.putObject("Tags").putArray("Tag");
        eni.attributes()
                .tags()
                .forEach((key, value) -> tags.addObject().put("TagKey", key).put("TagValue", value));
        return json;
    }

    /** The same with the fields of a listing. */
    private static ObjectNode listed(EmulatedEni eni, CloudState state) {
        String instance = eni.attachment().instanceId().orElse("");
        ObjectNode json = json(eni, state)
                .put("CreationTime", timestamp(eni.created()))
                .put("DeleteOnRelease", eni.attributes().deleteOnRelease())
                .put("InstanceId", instance);
        ObjectNode attachment = json.putObject("Attachment");
        if (!instance.isEmpty()) {
            List<EmulatedEni> there = state.enisOn(instance);
            attachment
                    .put("InstanceId", instance)
                    .put("DeviceIndex", eni.attachment().deviceIndex())
                    .put("NetworkCardIndex", 0)
                    .put("TrunkNetworkInterfaceId", eni.attachment().trunkId().orElse(""));
            List<String> members = there.stream()
                    .filter(other -> other.isMemberOf(eni.id()))
                    .map(EmulatedEni::id)
                    .toList();
            strings(attachment, "MemberNetworkInterfaceIds", "MemberNetworkInterfaceId", members);
        }
        return json;
    }

    /** {@code {"PrivateIpSet":[{"PrivateIpAddress","Primary"}]}}, the primary address first. */
    static ObjectNode ipSets(EmulatedEni eni) {
        ObjectNode sets = ActionCall.body();
        ArrayNode items = sets.putArray("PrivateIpSet");
        eni.addresses()
                .forEach(address -> items.addObject()
                        .put("PrivateIpAddress", address)
                        .put("Primary", address.equals(eni.ips().primaryIp())));
        return sets;
    }

    /** Puts {@code "set":{"item":[values]}}. */
    static void strings(ObjectNode json, String set, String item, List<String> values) {
        ArrayNode array = json.putObject(set).putArray(item);
        values.forEach(array::add);
    }

    /** A moment as the API writes it, to the second: {@code 2026-03-01T12:00:00Z}. */
    static String timestamp(Instant moment) {
        return moment.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
