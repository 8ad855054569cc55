package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.InstanceType;
import io.enipam.emulator.cloud.InstanceTypes;
import java.util.List;
import java.util.stream.Stream;

/** Lists instance types with what they allow; a type that is not on offer is left out. */
final class DescribeInstanceTypes implements Action {
    private static final int MOST_NAMED = 10;
    private static final Page.Bounds BOUNDS = new Page.Bounds(1, 100, 0);

    private final String name;

    /** The action under one of the names it has had. */
    DescribeInstanceTypes(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        Params params = call.params();
        List<String> ids = params.list("InstanceTypes", MOST_NAMED);
        Stream<InstanceType> asked = ids.isEmpty()
                ? InstanceTypes.all().stream()
                : ids.stream().distinct().flatMap(id -> InstanceTypes.find(id).stream());
        List<InstanceType> found = asked.filter(type -> params.asks("InstanceTypeFamily", type.family()))
                .toList();
        Page<InstanceType> page = Page.cut(params, found, found::indexOf, BOUNDS);
        ObjectNode body = page.head();
        ArrayNode items = body.putObject("InstanceTypes").putArray("InstanceType");
        page.items()
                .forEach(type -> items.addObject()
                        .put("InstanceTypeId", type.id())
                        .put("InstanceTypeFamily", type.family())
                        .put("CpuCoreCount", type.cpus())
                        .put("MemorySize", type.memoryGib())
                        .put("CpuArchitecture", "X86")
                        .put("GPUAmount", 0)
                        .put("GPUSpec", "")
                        .put("LocalStorageCategory", "")
                        .put("InstanceBandwidthRx", InstanceTypes.BANDWIDTH_KBITS)
                        .put("InstanceBandwidthTx", InstanceTypes.BANDWIDTH_KBITS)
                        .put("NetworkCardQuantity", 1)
                        .put("EniQuantity", type.enis())
                        .put("EniTotalQuantity", type.totalEnis())
                        .put("EniPrivateIpAddressQuantity", type.ipv4PerEni())
                        .put("EniIpv6AddressQuantity", type.ipv6PerEni())
                        .put("EniTrunkSupported", type.trunk()));
        return new ActionResult(state, body);
    }
}
