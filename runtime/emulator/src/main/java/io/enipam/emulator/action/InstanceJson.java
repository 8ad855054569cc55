package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.Instance;
import io.enipam.emulator.cloud.InstanceType;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** Instances as the API writes them. */
final class InstanceJson {
    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm'Z'").withZone(ZoneOffset.UTC);

    private InstanceJson() {}

    /** What both DescribeInstances and DescribeInstanceAttribute say of an instance. */
    static ObjectNode of(Instance instance, CloudState state) {
        InstanceType type = state.typeOf(instance);
        ObjectNode json = EniJson.body();
        json.put("InstanceId", instance.id());
        json.put("InstanceName", instance.hostname());
        json.put("HostName", instance.hostname());
        json.put("Description", "");
        json.put("RegionId", state.regionId());
        json.put("ZoneId", state.zoneOf(instance));
        json.put("InstanceType", type.id());
        json.put("InstanceTypeFamily", type.family());
        json.put("Cpu", type.cpus());
        json.put("Memory", (int) (type.memoryGib() * 1024));
        json.put("Status", "Running");
        json.put("InstanceNetworkType", "vpc");
        json.put("InstanceChargeType", "PostPaid");
        json.put("IoOptimized", true);
        json.put("CreationTime", MINUTE.format(instance.created()));
        EniJson.strings(
                json.putObject("SecurityGroupIds").putArray("SecurityGroupId"),
                List.of(state.vpc().securityGroup()));
        ObjectNode vpc = json.putObject("VpcAttributes");
        vpc.put("VpcId", state.vpc().id());
        vpc.put("VSwitchId", instance.vswitchId());
        vpc.put("NatIpAddress", "");
        EniJson.strings(
                vpc.putObject("PrivateIpAddress").putArray("IpAddress"),
                state.enisOn(instance.id()).stream()
                        .filter(eni -> eni.kind() == EniKind.PRIMARY)
                        .map(EmulatedEni::primaryIp)
                        .toList());
        json.putObject("PublicIpAddress").putArray("IpAddress");
        json.putObject("InnerIpAddress").putArray("IpAddress");
        json.putObject("EipAddress")
                .put("AllocationId", "")
                .put("IpAddress", "")
                .put("InternetChargeType", "");
        json.putObject("OperationLocks").putArray("LockReason");
        return json;
    }

    /** The same with its ENIs, which only DescribeInstances tells. */
    static ObjectNode listed(Instance instance, CloudState state) {
        ObjectNode json = of(instance, state);
        ArrayNode interfaces = json.putObject("NetworkInterfaces").putArray("NetworkInterface");
        for (EmulatedEni eni : state.enisOn(instance.id())) {
            ObjectNode item = interfaces
                    .addObject()
                    .put("NetworkInterfaceId", eni.id())
                    .put("MacAddress", eni.mac())
                    .put("PrimaryIpAddress", eni.primaryIp())
                    .put("Type", eni.typeName());
            item.set("PrivateIpSets", EniJson.ipSets(eni));
        }
        return json;
    }
}
