package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action.Result;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EmulatedEni.EniKind;
import io.enipam.emulator.cloud.InstanceType;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Stream;

/** The actions that describe instances and instance types. */
final class InstanceActions {
    private static final int MOST_INSTANCES_NAMED = 100;
    private static final int MOST_TYPES_NAMED = 10;
    private static final Page.Bounds INSTANCES = new Page.Bounds(1, 100, 100);
    private static final Page.Bounds TYPES = new Page.Bounds(1, 100, 0);
    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm'Z'").withZone(ZoneOffset.UTC);

    private InstanceActions() {}

    static Result describeInstances(ActionCall call) {
        Params params = call.params();
        CloudState state = call.state();
        List<String> ids = params.get("InstanceIds").map(InstanceActions::ids).orElse(List.of());
        List<String> ips = params.get("PrivateIpAddresses")
                .map(text -> Params.strings(text).orElseThrow(() -> Params.invalid("PrivateIpAddresses")))
                .orElse(List.of());
        List<Instance> found = state.layout().instances().stream()
                .filter(instance -> ids.isEmpty() || ids.contains(instance.id()))
                .filter(instance ->
                        ips.isEmpty() || primaryIps(instance, state).stream().anyMatch(ips::contains))
                .filter(instance -> params.asks("VpcId", state.layout().vpc().id()))
                .filter(instance -> params.asks("VSwitchId", instance.vswitchId()))
                .filter(instance -> params.asks("ZoneId", state.zoneOf(instance)))
                .filter(instance -> params.asks("InstanceType", instance.type()))
                .filter(instance ->
                        params.asks("InstanceTypeFamily", state.typeOf(instance).family()))
                .filter(instance -> params.asks("InstanceName", instance.hostname()))
                .filter(instance -> params.asks("InstanceNetworkType", "vpc"))
                .filter(instance -> params.asks("Status", "Running"))
                .filter(instance ->
                        params.asks("SecurityGroupId", state.layout().vpc().securityGroup()))
                .toList();
        Page<Instance> page = Page.cut(params, found, state.layout().instances()::indexOf, INSTANCES);
        ArrayNode items = page.head().putObject("Instances").putArray("Instance");
        for (Instance instance : page.items()) {
            ObjectNode json = json(instance, state);
            ArrayNode interfaces = json.putObject("NetworkInterfaces").putArray("NetworkInterface");
            for (EmulatedEni eni : state.enisOn(instance.id())) {
                ObjectNode item = interfaces
                        .addObject()
                        .put("NetworkInterfaceId", eni.id())
                        .put("MacAddress", eni.mac())
                        .put("PrimaryIpAddress", eni.ips().primaryIp())
                        .put("Type", eni.typeName());
                item.set("PrivateIpSets", EniQueries.ipSets(eni));
            }
            items.add(json);
        }
        return call.answer(page.head());
    }

    /** Describes one instance; older clients call this before DescribeInstances. */
    static Result describeInstanceAttribute(ActionCall call) {
        String id = call.params().require("InstanceId");
        ObjectNode body = call.state()
                .instance(id)
                .map(instance -> json(instance, call.state()))
                .orElseThrow(() -> ApiError.INSTANCE_ID_NOT_FOUND.with(id));
        // text here, a boolean in DescribeInstances: so the real API has it
        return call.answer(body.put("IoOptimized", "optimized"));
    }

    /** Lists instance types with their limits; a type that is not on offer is left out. */
    static Result describeInstanceTypes(ActionCall call) {
        Params params = call.params();
        List<String> ids = params.list("InstanceTypes", MOST_TYPES_NAMED);
        Stream<InstanceType> named = ids.isEmpty()
                ? InstanceType.all().stream()
                : ids.stream().distinct().flatMap(id -> InstanceType.find(id).stream());
        List<InstanceType> found = named.filter(type -> params.asks("InstanceTypeFamily", type.family()))
                .toList();
        Page<InstanceType> page = Page.cut(params, found, found::indexOf, TYPES);
        ArrayNode items = page.head().putObject("InstanceTypes").putArray("InstanceType");
        for (InstanceType type : page.items()) {
            items.addObject()
                    .put("InstanceTypeId", type.id())
                    .put("InstanceTypeFamily", type.family())
                    .put("CpuCoreCount", type.cpus())
                    .put("MemorySize", type.memoryGib())
                    .put("CpuArchitecture", "X86")
                    .put("GPUAmount", 0)
                    .put("GPUSpec", "")
                    .put("LocalStorageCategory", "")
                    .put("InstanceBandwidthRx", InstanceType.BANDWIDTH_KBITS)
                    .put("InstanceBandwidthTx", InstanceType.BANDWIDTH_KBITS)
                    .put("NetworkCardQuantity", 1)
                    .put("EniQuantity", type.enis())
                    .put("EniTotalQuantity", type.totalEnis())
                    .put("EniPrivateIpAddressQuantity", type.ipv4PerEni())
                    .put("EniIpv6AddressQuantity", type.ipv6PerEni())
                    .put("EniTrunkSupported", type.trunk());
        }
        return call.answer(page.head());
    }

    private static List<String> ids(String text) {
        return Params.strings(text)
                .filter(ids -> ids.size() <= MOST_INSTANCES_NAMED)
                .orElseThrow(ApiError.MALFORMED_INSTANCE_IDS::with);
    }

    private static List<String> primaryIps(Instance instance, CloudState state) {
        return state.enisOn(instance.id()).stream()
                .filter(eni -> eni.kind() == EniKind.PRIMARY)
                .map(eni -> eni.ips().primaryIp())
                .toList();
    }

    /** The fields that DescribeInstances and DescribeInstanceAttribute share. */
    private static ObjectNode json(Instance instance, CloudState state) {
        InstanceType type = state.typeOf(instance);
        ObjectNode json = ActionCall.body()
                .put("InstanceId", instance.id())
                .put("InstanceName", instance.hostname())
                .put("HostName", instance.hostname())
                .put("Description", "")
                .put("RegionId", state.layout().regionId())
                .put("ZoneId", state.zoneOf(instance))
                .put("InstanceType", type.id())
                .put("InstanceTypeFamily", type.family())
                .put("Cpu", type.cpus())
                .put("Memory", (int) (type.memoryGib() * 1024))
                .put("Status", "Running")
                .put("InstanceNetworkType", "vpc")
                .put("InstanceChargeType", "PostPaid")
                .put("IoOptimized", true)
                .put("CreationTime", MINUTE.format(instance.created()));
        EniQueries.strings(
                json,
                "SecurityGroupIds",
                "SecurityGroupId",
                List.of(state.layout().vpc().securityGroup()));
        ObjectNode vpc = json.putObject("VpcAttributes")
                .put("VpcId", state.layout().vpc().id())
                .put("VSwitchId", instance.vswitchId())
                .put("NatIpAddress", "");
        EniQueries.strings(vpc, "PrivateIpAddress", "IpAddress", primaryIps(instance, state));
        EniQueries.strings(json, "PublicIpAddress", "IpAddress", List.of());
        EniQueries.strings(json, "InnerIpAddress", "IpAddress", List.of());
        json.putObject("EipAddress")
                .put("AllocationId", "")
                .put("IpAddress", "")
                .put("InternetChargeType", "");
        EniQueries.strings(json, "OperationLocks", "LockReason", List.of());
        return json;
    }
}
