package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.NodeAllocator;
import io.enipam.examples.nodeipam.assign.NodeController;
import io.enipam.examples.nodeipam.assign.UnderWay;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.clustercidr.ClusterCidr;
import io.enipam.examples.nodeipam.config.Options;
import io.enipam.sdk.Check;
import io.enipam.sdk.Command;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Host;
import io.enipam.sdk.Row;
import io.enipam.sdk.Signals;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.Informer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What an operator has of the controller: commands, checks and metrics. Thread-safe. */
public final class Operator implements AutoCloseable {
    private final Host host;
    private final Options options;
    private final Informer nodes;
    private final NodeAllocator allocator;
    private final Optional<Informer> clusterCidrs;
    private final List<Command> commands;
    private final List<Check> checks;

    /** @param blocks those that the controller has in memory */
    public Operator(
            Host host,
            Options options,
            Cluster cluster,
            Informer nodes,
            Blocks blocks,
            NodeAllocator allocator,
            NodeController controller) {
        this.host = host;
        this.options = options;
        this.nodes = nodes;
        this.allocator = allocator;
        // all parts share the watch of a kind
        this.clusterCidrs = options.type() == Options.Type.MULTI_CIDR
                ? Optional.of(cluster.informer(ClusterCidr.KIND))
                : Optional.empty();
        this.commands = new Commands(this::view, new Release(cluster, this::view, controller)).all();
        this.checks = new Checks(this::view, clusterCidrs).all();
        signals(host)
                .ifPresent(signals -> new RangeMeters(
                                signals, blocks, () -> controller.complete() ? blocks : view().blocks())
                        .show(this::waiting));
    }

    @Override
    public void close() {
        clusterCidrs.ifPresent(Informer::close);
    }

    /** Empty where the part is opened by a test, or only to be looked at. */
    private static Optional<Signals> signals(Host host) {
        try {
            return Optional.of(host.signals());
        } catch (FactoryException e) {
            if (e.kind() != ErrorKind.UNAVAILABLE) {
                throw e;
            }
            return Optional.empty();
        }
    }

    public List<Command> commands() {
        return commands;
    }

    public List<Check> checks() {
        return checks;
    }

    private ClusterView view() {
        return ClusterView.of(
                allocator.pools(),
                options.services(),
                nodes.list(),
                underWay(),
                options.type() == Options.Type.RANGE,
                nodes.problem(),
                host.clock().instant());
    }

    private Map<String, UnderWay> underWay() {
        return host.journal().read(tx -> tx.scan(UnderWay.TABLE, "").collect(Collectors.toMap(Row::key, Row::value)));
    }

    private int waiting() {
        return (int) underWay().values().stream()
                .filter(UnderWay.Waiting.class::isInstance)
                .count();
    }
}
