package io.enipam.frontends.cni;

import io.enipam.diagnostics.readiness.AddReadiness;

import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.pods.NodePods;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.OwnerKey;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the commands are served from.
 *
 * @param patience how long an ADD may wait, as it is configured now
 */
public record CniContext(
        IpamEngine engine, NodePods pods, NodeDatapath kernel, AddReadiness readiness, Supplier<Duration> patience) {
    /** The network namespace that the kernel has a container connected to; empty if it has not, or that is gone. */
    Optional<String> connected(OwnerKey owner) {
        return kernel.real().flatMap(real -> real.netns(owner));
    }

    /** Why no pod can be connected from here, whatever the pool has; empty if one can. */
    Optional<String> obstacle() {
        return readiness.obstacle();
    }
}
