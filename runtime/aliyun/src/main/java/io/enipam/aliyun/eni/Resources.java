package io.enipam.aliyun.eni;

import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.Map;

/** How an address of an ENI is written as a resource: id {@code ENI/IP}, parent the ENI. */
final class Resources {
    private final VSwitches vswitches;

    Resources(VSwitches vswitches) {
        this.vswitches = vswitches;
    }

    ResourceId id(Eni eni, String ip) {
        return new ResourceId(eni.id() + "/" + ip);
    }

    Resource of(Eni eni, String ip) {
        VSwitches.Subnet subnet = vswitches.subnet(eni.vswitch());
        return new Resource(
                id(eni, ip),
                ResourceKind.ENI_IP,
                List.of(new Address(Address.literal(ip), subnet.prefixLength())),
                eni.id(),
                Map.of(
                        Resource.MAC, eni.mac(),
                        Resource.GATEWAY, subnet.gateway(),
                        Resource.VSWITCH, eni.vswitch(),
                        Resource.PRIMARY, Boolean.toString(ip.equals(eni.primaryIp()))));
    }
}
