package io.enipam.examples.cidr;

import io.enipam.examples.cidr.AddressPlan.CidrSettings;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.ResourceFactoryContract;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Pairs: IPv4 has fewer addresses than IPv6, and decides. */
class DualStackContractTest extends ResourceFactoryContract {
    @Override
    protected ResourceFactory open(PluginContext context) {
        return new CidrPlugin().resourceFactories().get(0).open(context);
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4, Family.IPV6), 13, 1, true);
    }

    @Override
    protected List<Setting<?>> settings() {
        return CidrSettings.ALL;
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of("ranges", List.of("10.64.0.0/28", "fd00:64::/123"), "order", List.of("lowest"));
    }
}
