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
import io.enipam.examples.nodeipam.clustercidr.ClusterCidr;
import io.enipam.examples.nodeipam.clustercidr.MultiCidrAllocator;
import io.enipam.examples.nodeipam.config.Options;
import io.enipam.examples.nodeipam.operate.Operator;
import io.enipam.sdk.Check;
import io.enipam.sdk.Command;
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
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The extension at work: allocator, controller, and what operators see of them. Thread-safe. */
final class NodeIpamPart implements Controller {
    private final Options options;
    private final Blocks blocks = new Blocks();
    private final List<Informer> informers = new ArrayList<>();
    private final Informer nodes;
    private final NodeController controller;
    private final Operator operator;
    private Optional<CloudSync> cloud = Optional.empty(); // set by the constructor alone

    /** @throws FactoryException if it cannot run as configured */
    NodeIpamPart(Host host) {
        options = Options.of(host.settings());
        Cluster cluster = host.service(Cluster.class)
                .orElseThrow(() -> new FactoryException(ErrorKind.MISCONFIGURED, "this host has no API server"));
        Optional<ClusterObject> usual = usual();
        options.services().forEach(cidr -> blocks.hold(Owner.services(cidr.toString()), List.of(cidr)));
        WaitingNodes waiting = new WaitingNodes();
        Optional<RouteTable> table = switch (options.type()) {
            case CLOUD, FROM_CLUSTER, FROM_CLOUD -> Optional.of(RouteTable.of(host, options.routeTable()));
            case RANGE, MULTI_CIDR -> Optional.empty();
        };
        nodes = informer(cluster, ObjectKind.NODE);
        NodeAllocator allocator = switch (options.type()) {
            case RANGE -> ranges();
            case MULTI_CIDR ->
                new MultiCidrAllocator(
                        host,
                        cluster,
                        blocks,
                        nodes,
                        informer(cluster, ClusterCidr.KIND),
                        usual,
                        waiting::rangesChanged);
            case CLOUD, FROM_CLUSTER, FROM_CLOUD -> ofCloud(host, cluster, table.orElseThrow());
        };
        controller = new NodeController(host, cluster, nodes, blocks, allocator, waiting, options.retries());
        operator = new Operator(host, options, cluster, nodes, blocks, allocator, controller);
    }

    /** Opens one, or closes those that are open. */
    private Informer informer(Cluster cluster, ObjectKind kind) {
        try {
            Informer opened = cluster.informer(kind);
            informers.add(opened);
            return opened;
        } catch (FactoryException e) {
            informers.forEach(Informer::close);
            throw e;
        }
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

    /** The {@code ClusterCIDR} for the cluster CIDRs, where they are set. */
    private Optional<ClusterObject> usual() {
        try {
            return options.type() != Options.Type.MULTI_CIDR || options.ranges().isEmpty()
                    ? Optional.empty()
                    : Optional.of(ClusterCidr.ofSetting(
                            options.ranges().stream().map(Options.Range::cidr).toList(),
                            options.ranges().stream()
                                    .map(Options.Range::blockLength)
                                    .toList()));
        } catch (IllegalArgumentException e) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, String.valueOf(e.getMessage()), e);
        }
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

    @Override
    public List<Command> commands() {
        return operator.commands();
    }

    @Override
    public List<Check> checks() {
        return operator.checks();
    }

    @Override
    public void close() {
        operator.close();
        informers.forEach(Informer::close);
    }
}
