package io.enipam.aliyun.eni;

import io.enipam.engine.model.DatapathRequest.Gateways;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How what an ENI has is written as a resource: an address as {@code ENI/IP} with the ENI as its parent, a whole ENI as
 * {@code ENI} that stands alone, with its primary address. Where pods have both families, the IPv6 address that goes with the IPv4
 * one stands beside it; the name stays that of the IPv4 address.
 */
record ResourceMapper(VSwitches vswitches, EniUse use) {
    ResourceKind kind() {
        return use.kind();
    }

    ResourceId id(Eni eni, String ip) {
        return new ResourceId(use == EniUse.WHOLE ? eni.id() : eni.id() + "/" + ip);
    }

    String eniOf(Resource resource) {
        return use == EniUse.WHOLE ? resource.id().value() : resource.parent();
    }

    /** The IPv4 address that a resource of this factory is named by. */
    static String ipv4(Resource resource) {
        return of(resource, Family.IPV4)
                .orElseGet(() -> resource.addresses().get(0).host());
    }

    /** The resource's address of a family, in canonical text. */
    static Optional<String> of(Resource resource, Family family) {
        return resource.addresses().stream()
                .filter(address -> address.family() == family)
                .map(Address::host)
                .findFirst();
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
        List<Address> addresses = new ArrayList<>();
        addresses.add(new Address(Address.literal(ip), subnet.prefixLength()));
        eni.find(ip).flatMap(EniAddress::partner).ifPresent(six -> {
            Optional<VSwitches.Subnet> ipv6 = subnet.ipv6();
            int length = ipv6.map(VSwitches.Subnet::prefixLength).orElse(Family.IPV6.bits());
            addresses.add(new Address(Address.literal(six.ip()), length));
            ipv6.ifPresent(it -> attributes.put(Gateways.IPV6, it.gateway()));
        });
        return new Resource(id(eni, ip), use.kind(), addresses, use == EniUse.WHOLE ? "" : eni.id(), attributes);
    }
}
