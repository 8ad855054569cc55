package io.enipam.frontends.terway;

import inet.ipaddr.IPAddressString;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.terway.rpc.IPType;
import java.util.Optional;

/** The contract's terms for the addresses of a pod; IPv4 is its only family. */
final class IpTypes {
    private IpTypes() {}

    /** The type of the next allocation. */
    static IPType usual(IpamEngine engine) {
        String factory = engine.factories().stream()
                .filter(known -> known.role() == FactoryView.Role.ACTIVE)
                .map(FactoryView::name)
                .findFirst()
                .orElse("");
        if (factory.equals(NodeCidrFactory.NAME)) {
            return IPType.TypeVPCIP;
        }
        return factory.equals(EniUse.WHOLE.factory()) ? IPType.TypeVPCENI : IPType.TypeENIMultiIP;
    }

    static IPType of(Resource resource) {
        if (resource.kind().equals(NodeCidrFactory.KIND)) {
            return IPType.TypeVPCIP;
        }
        return resource.kind().equals(EniUse.WHOLE.kind()) ? IPType.TypeVPCENI : IPType.TypeENIMultiIP;
    }

    /** The IPv4 address of a resource; empty if it has none. */
    static Optional<Address> ipv4(Resource resource) {
        return resource.addresses().stream()
                .filter(address -> address.family() == Family.IPV4)
                .findFirst();
    }

    /** The subnet of an IPv4 address, as a CIDR: 10.0.1.0/24 of 10.0.1.7/24. */
    static String subnet(Address address) {
        return new IPAddressString(address.toString())
                .getAddress()
                .toPrefixBlock()
                .toCanonicalString();
    }
}
