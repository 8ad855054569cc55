package io.enipam.frontends.terway;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.sdk.Resource;
import io.enipam.terway.rpc.IPType;

/** The contract's words for what a pod gets. */
final class IpTypes {
    private IpTypes() {}

    /** What a pod would get that asks now. */
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

    /** What a pod has that has this. */
    static IPType of(Resource resource) {
        if (resource.kind().equals(NodeCidrFactory.KIND)) {
            return IPType.TypeVPCIP;
        }
        return resource.kind().equals(EniUse.WHOLE.kind()) ? IPType.TypeVPCENI : IPType.TypeENIMultiIP;
    }
}
