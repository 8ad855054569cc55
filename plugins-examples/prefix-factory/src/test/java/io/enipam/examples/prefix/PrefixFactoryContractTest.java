package io.enipam.examples.prefix;

import io.enipam.aliyun.testing.PluginNode;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.ResourceFactoryContract;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;

/** The contract of factories, against an emulated cloud behind the daemon's own client. */
class PrefixFactoryContractTest extends ResourceFactoryContract {
    // 1 ENI for prefixes, with 2 of them
    @AutoClose
    private final PluginNode node = new PluginNode("ecs.imagined.2x3", Map.of("vsw-1", "10.0.0.0/24"));

    @Override
    protected ResourceFactory open(PluginContext context) {
        return PrefixFactory.open(context, node.lend("prefix-factory"));
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), 32, 160, true);
    }

    @Override
    protected List<Setting<?>> settings() {
        return new PrefixPlugin().settings();
    }

    @Override
    protected Duration patience() {
        return Duration.ofSeconds(60);
    }

    @Override
    protected boolean refuseNext() {
        node.refuseNext("CreateNetworkInterface", "SecurityGroupInstanceLimitExceed");
        return true;
    }

    /** Threads of the client and of the emulator, which live longer than a factory. */
    @Override
    protected boolean foreign(Thread thread) {
        return !thread.getName().startsWith("prefix-factory");
    }
}
