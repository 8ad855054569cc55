package io.enipam.emulator.action;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Eni;
import io.enipam.emulator.cloud.EniKind;
import io.enipam.emulator.cloud.Instance;
import io.enipam.emulator.cloud.InstanceType;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** Lists instances. */
final class DescribeInstances implements Action {
    private static final int MOST_NAMED = 100;
    private static final Page.Bounds BOUNDS = new Page.Bounds(1, 100, 100);
    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm'Z'").withZone(ZoneOffset.UTC);
    private static final JsonMapper JSON = new JsonMapper();

    @Override
    public String name() {
        return "DescribeInstances";
    }

    @Override
    public Outcome apply(Call call, CloudState state) {
        Params params = call.params();
        List<String> ids = params.get("InstanceIds").map(DescribeInstances::ids).orElse(List.of());
        List<Instance> found = state.instances().stream()
                .filter(instance -> ids.isEmpty() || ids.contains(instance.id()))
                .filter(instance -> asked(params, "VpcId", state.vpc().id()))
                .filter(instance -> asked(params, "VSwitchId", instance.vswitchId()))
                .filter(instance -> asked(params, "ZoneId", state.zoneId()))
                .filter(instance -> asked(params, "InstanceType", instance.type()))
                .filter(instance -> asked(params, "Status", "Running"))
                .filter(instance -> asked(params, "SecurityGroupId", state.vpc().securityGroup()))
                .toList();
        Page<Instance> page = Page.cut(params, found, state.instances()::indexOf, BOUNDS);
        ObjectNode body = page.head();
        ArrayNode items = body.putObject("Instances").putArray("Instance");
        page.items().forEach(instance -> items.add(json(instance, state)));
        return new Outcome(state, body);
    }

    private static ObjectNode json(Instance instance, CloudState state) {
        InstanceType type = state.typeOf(instance);
        List<Eni> enis = state.enisOn(instance.id());
        ObjectNode json = EniJson.body();
        json.put("InstanceId", instance.id());
        json.put("InstanceName", instance.hostname());
        json.put("HostName", instance.hostname());
        json.put("RegionId", state.regionId());
        json.put("ZoneId", state.zoneId());
        json.put("InstanceType", type.id());
        json.put("InstanceTypeFamily", type.family());
        json.put("Cpu", type.cpus());
        json.put("Memory", (int) (type.memoryGib() * 1024));
        json.put("Status", "Running");
        json.put("InstanceNetworkType", "vpc");
        json.put("CreationTime", MINUTE.format(instance.created()));
        EniJson.strings(
                json.putObject("SecurityGroupIds").putArray("SecurityGroupId"),
                List.of(state.vpc().securityGroup()));
        ObjectNode vpc = json.putObject("VpcAttributes");
        vpc.put("VpcId", state.vpc().id());
        vpc.put("VSwitchId", instance.vswitchId());
        EniJson.strings(
                vpc.putObject("PrivateIpAddress").putArray("IpAddress"),
                enis.stream()
                        .filter(eni -> eni.kind() == EniKind.PRIMARY)
                        .map(Eni::primaryIp)
                        .toList());
        ArrayNode interfaces = json.putObject("NetworkInterfaces").putArray("NetworkInterface");
        for (Eni eni : enis) {
            ObjectNode item = interfaces
                    .addObject()
                    .put("NetworkInterfaceId", eni.id())
                    .put("MacAddress", eni.mac())
                    .put("PrimaryIpAddress", eni.primaryIp())
                    .put("Type", eni.kind().wireName());
            item.set("PrivateIpSets", EniJson.ipSets(eni));
        }
        return json;
    }

    private static List<String> ids(String text) {
        try {
            List<String> ids = JSON.readValue(text, new TypeReference<List<String>>() {});
            if (ids != null && ids.size() <= MOST_NAMED) {
                return ids;
            }
        } catch (JsonProcessingException malformed) {
            throw new ApiException(ApiError.MALFORMED_INSTANCE_IDS);
        }
        throw new ApiException(ApiError.MALFORMED_INSTANCE_IDS);
    }

    private static boolean asked(Params params, String name, String value) {
        return params.get(name).map(value::equals).orElse(true);
    }
}
