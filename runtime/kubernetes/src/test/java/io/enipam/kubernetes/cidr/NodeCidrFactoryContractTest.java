package io.enipam.kubernetes.cidr;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.testkit.ResourceFactoryContract;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class NodeCidrFactoryContractTest extends ResourceFactoryContract {
    private final InMemoryAddressFileStore files = new InMemoryAddressFileStore();

    @Override
    protected ResourceFactory open(PluginContext context) {
        return new NodeCidrFactory(
                NodeCidr.parse("10.64.0.0/28"), files, List.of(), List::of, context.clock()::instant, warning -> {});
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), 13, 1, false);
    }

    @Override
    protected boolean breakProvider() {
        files.fail(Optional.of("the disk is away"));
        return true;
    }

    @Override
    protected void mendProvider() {
        files.fail(Optional.empty());
    }
}
