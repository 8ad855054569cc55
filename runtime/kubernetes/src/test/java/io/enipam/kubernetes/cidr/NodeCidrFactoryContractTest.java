package io.enipam.kubernetes.cidr;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.testkit.ResourceFactoryContract;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class NodeCidrFactoryContractTest extends ResourceFactoryContract {
    private Optional<ResourceFactory> before = Optional.empty();

    /** Everything it had made is lent: so the database knows of it all. */
    @Override
    protected ResourceFactory open(PluginContext context) {
        List<Resource> leased = before.map(
                        factory -> factory.list().toCompletableFuture().join())
                .orElse(List.of());
        ResourceFactory factory = new NodeCidrFactory(NodeCidr.parse("10.64.0.0/28"), leased, context.clock()::instant);
        before = Optional.of(factory);
        return factory;
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), 13, 1, false);
    }
}
