package io.enipam.examples.trunk;

import io.enipam.aliyun.testing.PluginNode;
import io.enipam.sdk.Claim;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Host;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.AllocatorContract;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;

/** The contract of allocators, crashes between all steps included, against an emulated cloud behind the daemon's own client. */
class TrunkAllocatorContractTest extends AllocatorContract {
    @AutoClose
    private final PluginNode node = new PluginNode("ecs.g6.16xlarge", Map.of("vsw-1", "10.0.0.0/22"));

    @Override
    protected Extension extension() {
        return Extension.of(TrunkPlugin.NAME, Set.of(Role.NODE), this::open);
    }

    private TrunkAllocator open(Host host) {
        return TrunkAllocator.open(host, node.lend("trunk-members"));
    }

    @Override
    protected List<Setting<?>> settings() {
        return new TrunkPlugin().settings();
    }

    @Override
    protected Claim claim(int number) {
        return pod(
                "pod-" + number,
                Map.of("args.securityGroups", node.securityGroups().get(number)));
    }

    /** Each step calls the cloud over HTTP. */
    @Override
    protected int histories() {
        return 15;
    }

    @Override
    protected Duration patience() {
        return Duration.ofSeconds(60);
    }
}
