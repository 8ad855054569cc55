package io.enipam.daemon;

import io.enipam.config.Schema;
import io.enipam.datapath.netlink.NetlinkHelper;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.node.cluster.ClusterConnection;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.node.cluster.EniDevicePlugin;
import io.enipam.node.cluster.EniDevicePlugin.DevicePluginDirectory;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.kernel.NodeView;
import io.enipam.node.pods.NodePods;
import io.enipam.node.pods.SimulatedPods;
import io.enipam.node.pods.UnverifiedPods;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The node: its kernel, its cluster and its pods. */
final class NodeModule {
    final NodeView view;
    final NodeDatapath kernel;
    final NodePods pods;
    private final Optional<ClusterConnection> cluster;

    NodeModule(BaseModule base, DaemonEnvironment surroundings, StorageModule storage, SupplyModule supply)
            throws IOException {
        view = surroundings.node(base.live::now);
        kernel = base.opened.push(
                "kernel",
                NodeDatapath.open(
                        base.config.get(Schema.DATAPATH_USE),
                        base.config.emulated()
                                || base.config
                                        .cniSocket(base.layout.cniSocket())
                                        .isEmpty(),
                        base.layout.simulatedKernel(),
                        base.layout.callersAttachments(),
                        base.layout.attachments(),
                        view,
                        System.getenv(),
                        Optional.ofNullable(System.getProperty("enipam.home"))
                                .flatMap(home -> NetlinkHelper.in(Path.of(home)))));
        cluster = base.access.map(way ->
                new ClusterConnection(way, base.config.cluster(), base.node, base.time, base.scheduler, base.events));
        cluster.ifPresent(link -> base.opened.push("cluster", link));
        supply.nodeCidr.connect(cluster);
        pods = cluster.isPresent() ? cluster.get().pods() : podsWithoutCluster(base, storage);
    }

    private NodePods podsWithoutCluster(BaseModule base, StorageModule storage) throws IOException {
        return base.config.emulated()
                ? SimulatedPods.open(
                        base.layout.sandboxPods(), storage.contents().leases(), kernel.simulatedNow())
                : new UnverifiedPods();
    }

    /** The inspection of the cluster; empty without a cluster. */
    Optional<ClusterInspector> inspector() {
        return cluster.map(ClusterConnection::inspector);
    }

    /** Begins to report this node's status to the cluster and the kubelet. */
    void begin(BaseModule base, EngineModule running, SupplyModule supply, Troubles troubles) {
        cluster.ifPresent(link -> {
            link.begin(running.engine, () -> troubles.find().broken().map(Trouble::text));
            base.live.follow("the rules for pods that keep their address", now -> link.reconfigure(now.cluster()));
            base.blocking.scheduleWithFixedDelay(link::sync, 5, 5, TimeUnit.SECONDS);
        });
        EniDevicePlugin devices = base.opened.push(
                "kubelet plugin",
                new EniDevicePlugin(
                        DevicePluginDirectory.of(base.config.get(Schema.DEVICE_PLUGINS), base.layout.devicePlugins()),
                        running.engine,
                        base.time,
                        base.events));
        base.blocking.scheduleWithFixedDelay(devices::sync, 1, 2, TimeUnit.SECONDS);
        base.blocking.scheduleWithFixedDelay(supply.nodeCidr::check, 1, 2, TimeUnit.SECONDS);
    }
}
