package io.enipam.examples.nodeipam;

import io.enipam.examples.nodeipam.assign.NodeAllocator;
import io.enipam.examples.nodeipam.assign.NodeController;
import io.enipam.examples.nodeipam.assign.RangeAllocator;
import io.enipam.examples.nodeipam.assign.WaitingNodes;
import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.examples.nodeipam.cloud.Aliases;
import io.enipam.examples.nodeipam.cloud.CloudAllocator;
import io.enipam.examples.nodeipam.cloud.CloudSync;
import io.enipam.examples.nodeipam.cloud.Led;
import io.enipam.examples.nodeipam.cloud.RouteTable;
import io.enipam.examples.nodeipam.config.Options;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Host;
import io.enipam.sdk.Next;
import io.enipam.sdk.Source;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The extension at work: allocator, controller, and what operators see of them. Thread-safe. */
final class NodeIpamPart implements Controller {
    private final Options options;
    private final Blocks blocks = new Blocks();
    private final Informer nodes;
    private final NodeController controller;
    private Optional<CloudSync> cloud = Optional.empty(); // set by the constructor alone

    /** @throws FactoryException if it cannot run as configured */
    NodeIpamPart(Host host) {
        options = Options.of(host.settings());
        Cluster cluster = host.service(Cluster.class)
                .orElseThrow(() -> new FactoryException(ErrorKind.MISCONFIGURED, "this host has no API server"));
        options.services().forEach(cidr -> blocks.hold(Owner.services(cidr.toString()), List.of(cidr)));
        WaitingNodes waiting = new WaitingNodes();
        Optional<RouteTable> table = switch (options.type()) {
            case CLOUD, FROM_CLUSTER, FROM_CLOUD -> Optional.of(RouteTable.of(host, options.routeTable()));
            case RANGE, MULTI_CIDR -> Optional.empty();
        };
        nodes = cluster.informer(ObjectKind.NODE);
        NodeAllocator allocator = allocator(host, cluster, table);
        controller = new NodeController(host, cluster, nodes, blocks, allocator, waiting, options.retries());
    }

    private NodeAllocator allocator(Host host, Cluster cluster, Optional<RouteTable> table) {
        return switch (options.type()) {
            case RANGE -> ranges();
            case CLOUD, FROM_CLUSTER, FROM_CLOUD -> ofCloud(host, cluster, table.orElseThrow());
            case MULTI_CIDR ->
                throw new FactoryException(ErrorKind.MISCONFIGURED, options.type() + " is not there yet");
        };
    }

    private NodeAllocator ranges() {
        return new RangeAllocator(
                blocks,
                options.ranges().stream()
                        .map(range -> new BlockRange(range.cidr(), range.blockLength()))
                        .toList());
    }

    private NodeAllocator ofCloud(Host host, Cluster cluster, RouteTable table) {
        List<Subnet> within = options.ranges().stream().map(Options.Range::cidr).toList();
        Aliases aliases = new Aliases(table, nodes, within, host.clock());
        Led led = new Led(blocks);
        cloud = Optional.of(new CloudSync(host, options, cluster, nodes, table, aliases, led));
        return new CloudAllocator(
                options.type(), aliases, blocks, led, within.isEmpty() ? Optional.empty() : Optional.of(ranges()));
    }

    @Override
    public List<Source> watches() {
        List<Source> sources = new ArrayList<>(controller.watches());
        cloud.ifPresent(its -> sources.addAll(its.watches()));
        return sources;
    }

    @Override
    public Next reconcile(String key, Transaction tx) {
        Optional<Next> inCloud = cloud.map(its -> its.reconcile(key, tx));
        Next next = controller.reconcile(key, tx);
        return inCloud.map(other -> CloudSync.sooner(next, other)).orElse(next);
    }

    @Override
    public CompletionStage<EffectResult> perform(Effect effect) {
        return cloud.isPresent() && CloudSync.wrote(effect) ? cloud.get().perform(effect) : controller.perform(effect);
    }

    @Override
    public Limits limits() {
        Limits usual = Limits.DEFAULT;
        return new Limits(
                options.workers(),
                options.queue(),
                cloud.isPresent() ? CloudSync.FIRST_PAUSE : usual.firstPause(),
                cloud.isPresent() ? CloudSync.LONGEST_PAUSE : usual.longestPause(),
                usual.retries());
    }

    /** Who has which blocks. */
    Blocks blocks() {
        return blocks;
    }

    /** What is wrong with the blocks that nodes have, by node. */
    Map<String, String> problems() {
        return controller.problems();
    }

    @Override
    public void close() {
        nodes.close();
    }
}
