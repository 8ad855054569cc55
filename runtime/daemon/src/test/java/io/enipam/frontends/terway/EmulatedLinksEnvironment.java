package io.enipam.frontends.terway;

import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.daemon.testing.EmulatedSurroundings;
import io.enipam.node.kernel.NodeView;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/** The emulated cloud, and a node where each ENI has a link, its index made of its MAC. */
class EmulatedLinksEnvironment extends EmulatedSurroundings {
    @Override
    public NodeView node(Supplier<DaemonConfig> config) {
        return new NodeView() {
            @Override
            public OptionalInt linkOf(String mac) {
                return OptionalInt.of(index(mac));
            }

            /** No pod is connected here: each looks as if it were. */
            @Override
            public boolean hasLink(String name) {
                return true;
            }

            @Override
            public Map<String, String> hostRoutes() {
                return Map.of();
            }

            @Override
            public Optional<InetAddress> address(Family family) {
                return family == Family.IPV4 ? Optional.of(Address.literal("10.0.0.250")) : Optional.empty();
            }

            @Override
            public List<String> serviceCidrs() {
                return config.get().get(Schema.SERVICE_CIDR);
            }
        };
    }

    static int index(String mac) {
        return 1000 + Integer.parseInt(mac.substring(15), 16);
    }
}
