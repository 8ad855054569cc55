package io.enipam.examples.nodeipam;

import io.enipam.examples.nodeipam.assign.NodeAllocator;
import io.enipam.examples.nodeipam.assign.NodeController;
import io.enipam.examples.nodeipam.assign.RangeAllocator;
import io.enipam.examples.nodeipam.assign.WaitingNodes;
import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    /** @throws FactoryException if it cannot run as configured */
    NodeIpamPart(Host host) {
        options = Options.of(host.settings());
        Cluster cluster = host.service(Cluster.class)
                .orElseThrow(() -> new FactoryException(ErrorKind.MISCONFIGURED, "this host has no API server"));
        Optional<ClusterObject> usual = usual();
        options.services().forEach(cidr -> blocks.hold(Owner.services(cidr.toString()), List.of(cidr)));
        WaitingNodes waiting = new WaitingNodes();
        nodes = informer(cluster, ObjectKind.NODE);
        NodeAllocator allocator = allocator(host, cluster, usual, waiting);
        controller = new NodeController(host, cluster, nodes, blocks, allocator, waiting, options.retries());
        operator = new Operator(host, options, cluster, nodes, blocks, controller);
    }

    private Informer informer(Cluster cluster, ObjectKind kind) {
        Informer opened = cluster.informer(kind);
        informers.add(opened);
        return opened;
    }

    private NodeAllocator allocator(Host host, Cluster cluster, Optional<ClusterObject> usual, WaitingNodes waiting) {
        return switch (options.type()) {
            case RANGE ->
                new RangeAllocator(
                        blocks,
                        options.ranges().stream()
                                .map(range -> new BlockRange(range.cidr(), range.blockLength()))
                                .toList());
            case MULTI_CIDR ->
                new MultiCidrAllocator(
                        host,
                        cluster,
                        blocks,
                        nodes,
                        informer(cluster, ClusterCidr.KIND),
                        options.services(),
                        usual,
                        waiting::rangesChanged);
            case CLOUD, FROM_CLUSTER, FROM_CLOUD ->
                throw new FactoryException(ErrorKind.MISCONFIGURED, options.type() + " is not there yet");
        };
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
        return controller.watches();
    }

    @Override
    public Next reconcile(String key, Transaction tx) {
        return controller.reconcile(key, tx);
    }

    @Override
    public CompletionStage<EffectResult> perform(Effect effect) {
        return controller.perform(effect);
    }

    @Override
    public Limits limits() {
        Limits usual = Limits.DEFAULT;
        return new Limits(
                options.workers(), options.queue(), usual.firstPause(), usual.longestPause(), usual.retries());
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
