package io.enipam.aliyun.eni;

import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How what an ENI has is written as a resource: an address as {@code ENI/IP} with the ENI as its parent, a whole ENI as
 * {@code ENI} that stands alone, with its primary address.
 */
final class Resources {
    private final VSwitches vswitches;
    private final EniUse use;

    Resources(VSwitches vswitches, EniUse use) {
        this.vswitches = vswitches;
        this.use = use;
    }

    ResourceKind kind() {
        return use.kind();
    }

    ResourceId id(Eni eni, String ip) {
        return new ResourceId(use == EniUse.WHOLE ? eni.id() : eni.id() + "/" + ip);
    }

    /** The id of the ENI that a resource hangs on, or is. */
    String eniOf(Resource resource) {
        return use == EniUse.WHOLE ? resource.id().value() : resource.parent();
    }

    Resource of(Eni eni, String ip) {
        VSwitches.Subnet subnet = vswitches.subnet(eni.vswitch());
        Map<String, String> attributes = new HashMap<>(Map.of(
                Resource.MAC, eni.mac(),
                Resource.GATEWAY, subnet.gateway(),
                Resource.VSWITCH, eni.vswitch()));
        if (use == EniUse.ADDRESSES) {
            attributes.put(Resource.PRIMARY, Boolean.toString(ip.equals(eni.primaryIp())));
        }
        return new Resource(
                id(eni, ip),
                use.kind(),
                List.of(new Address(Address.literal(ip), subnet.prefixLength())),
                use == EniUse.WHOLE ? "" : eni.id(),
                attributes);
    }
}
