package io.enipam.daemon;

import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.kubernetes.cidr.AddressFileStore;
import io.enipam.kubernetes.cidr.HostLocalFileStore;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.node.cluster.NodeCidrProvider;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.PluginStorage;
import io.enipam.pluginhost.PluginStorage.HostNode;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.sdk.Role;
import io.enipam.sdk.cloud.Cloud;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The sources of resources: the node's CIDR, the plugins, and the selected factories and policy. */
final class SupplyModule {
    final AddressFileStore addresses;
    final NodeCidrProvider nodeCidr;
    final PluginModule plugins;

    SupplyModule(
            BaseModule base,
            EngineAssembly assembly,
            PluginCatalog catalog,
            StorageModule storage,
            CloudModule.Session cloud)
            throws IOException {
        addresses = new HostLocalFileStore(base.config.addressFiles(base.layout.addressFiles()));
        nodeCidr = base.opened.push(
                "node cidr",
                new NodeCidrProvider(
                        base.layout.nodeCidr(),
                        addresses,
                        passedOver(base.layout, base.config),
                        storage::contents,
                        base.time,
                        base.events));
        plugins = new PluginModule(
                base,
                catalog,
                assembly.builtIns(cloud.access()::open, nodeCidr::open)
                        .lending(Cloud.class, cloud.lender()::lend)
                        .withPluginsOnCloud(cloud.lender()::isLentTo),
                new PluginStorage(new HostNode(base.node, Role.NODE), base.layout.pluginData(), storage::journal));
        ActiveSelection inForce = plugins.inForce.written();
        base.announcements.suppressFor(use -> inForce.onTrial(use.factory()) || inForce.isDraining(use.factory()));
    }

    /**
     * Host-local's directory on this node, if only {@code --root} leads the daemon to another one.
     *
     * @throws StartupException if terway's plugin nevertheless calls this daemon
     */
    private static Optional<AddressFileStore> passedOver(DaemonLayout layout, DaemonConfig config) {
        if (layout.root().isEmpty() || config.addressFilesAreSet()) {
            return Optional.empty();
        }
        Optional<Path> called = config.terwaySocket(layout.terwaySocket())
                .filter(socket -> !socket.toAbsolutePath().normalize().startsWith(layout.displayPath()));
        if (called.isPresent() && config.get(Schema.FACTORY).equals(NodeCidrFactory.NAME)) {
            throw new StartupException(
                    "sockets.terway is " + called.get() + ", outside of --root, and vpc.address_dir is "
                            + layout.addressFiles()
                            + ", below it: terway's plugin and this daemon would lend the same addresses;"
                            + " set vpc.address_dir to the directory of host-local, as a rule "
                            + DaemonLayout.HOST_LOCAL_FILES);
        }
        return Optional.of(new HostLocalFileStore(DaemonLayout.HOST_LOCAL_FILES));
    }
}
