package io.enipam.node.kernel;

import io.enipam.config.DaemonConfig;
import io.enipam.datapath.iproute.Links;
import io.enipam.sdk.Family;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * The node as its kernel and its configuration have it: its own address is the first global one on the link of the default
 * route. Thread-safe.
 */
public final class HostNodeView implements NodeView {
    private final Supplier<DaemonConfig> config;
    private final LinksByMac links;
    private final Path net;

    public HostNodeView(Supplier<DaemonConfig> config) {
        this(config, Path.of("/proc/self/net"));
    }

    /** @param net {@code /proc/PID/net} of a process in the node's network namespace */
    public HostNodeView(Supplier<DaemonConfig> config, Path net) {
        this.config = config;
        this.net = net;
        this.links = new LinksByMac(net.resolve("dev"), Path.of("/sys/class/net"));
    }

    @Override
    public Optional<InetAddress> address(Family family) {
        try {
            Optional<NetworkInterface> link = DefaultRoute.link(family);
            return link.flatMap(found -> Collections.list(found.getInetAddresses()).stream()
                    .filter(address -> address.getAddress().length * 8 == family.bits())
                    .filter(address -> !address.isLinkLocalAddress() && !address.isLoopbackAddress())
                    .findFirst());
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    @Override
    public OptionalInt linkOf(String mac) throws IOException {
        return links.index(mac);
    }

    @Override
    public boolean showsLinks() {
        return Links.visible();
    }

    @Override
    public boolean hasLink(String name) throws IOException {
        return links.has(name);
    }

    @Override
    public Map<String, String> hostRoutes() throws IOException {
        return HostRoutes.read(net.resolve("route"));
    }

    @Override
    public List<String> serviceCidrs() {
        return config.get().serviceCidrs();
    }
}
