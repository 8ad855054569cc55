package io.enipam.datapath.routed;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Snapshot;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.Forwarding;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.NodeLinks;
import io.enipam.datapath.link.PodRoutes;
import io.enipam.datapath.link.RecordDraft;
import io.enipam.datapath.link.Staying;
import io.enipam.datapath.link.Words;
import io.enipam.datapath.pair.NodeEnd;
import io.enipam.datapath.pair.PairExpectation;
import io.enipam.datapath.pair.PairWiring;
import io.enipam.datapath.pair.PodEnd;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.Alias;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.OwnerName;
import io.enipam.engine.model.Connection;
import io.enipam.engine.model.Wiring;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A veth pair and a route, for a resource that hangs on no interface. The pod's address has no subnet on its link, so everything
 * goes to the node, whose main table knows the way: the VPC's routes lead the node's CIDR back to it.
 */
public final class RoutedKind implements LinkKind {
    /** How records call it. */
    public static final String NAME = "routed";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean serves(Connection connection) {
        return !connection.lease().resource().attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(Connection connection, Node node) {
        Words.check(connection);
        OwnerName name = new OwnerName(connection.lease().owner());
        return RecordDraft.of(NAME, connection)
                .hostLink(name.link(connection.link().vethPrefix()), name.mac(0))
                .podLink(name.mac(1), connection.link().mtu().orElseGet(() -> NodeLinks.ownMtu(node)))
                .addresses(RecordDraft.addresses(connection.lease().resource()))
                .done();
    }

    @Override
    public void connect(AttachmentRecord record, Node node) {
        VethPair pair = VethPair.of(record);
        NodeEnd.connect(pair, node);
        PodEnd.connect(pair, node);
    }

    @Override
    public void disconnect(AttachmentRecord record, Node node, Staying staying) {
        Batch here = Batch.here();
        VethPair.of(record).remove(here, node);
        node.runner().run(here);
    }

    @Override
    public Optional<Set<InetAddress>> reached(AttachmentRecord record, Snapshot node) {
        return PodRoutes.reached(record, node);
    }

    /**
     * A pair without a rule is one: what else there is of an exclusive ENI's, the NIC itself, comes back with the end of the pod's
     * namespace.
     */
    @Override
    public Optional<AttachmentRecord> recognised(Alias alias, Snapshot.Link link, Snapshot node) {
        OwnerName name = new OwnerName(alias.owner());
        boolean ruled = node.rules().stream().anyMatch(rule -> rule.link().equals(link.name()));
        if (ruled || !link.name().endsWith(name.digits()) || !link.mac().equals(name.mac(0))) {
            return Optional.empty();
        }
        return Optional.of(RecordDraft.of(NAME, alias)
                .hostLink(link.name(), link.mac())
                .podLink(name.mac(1), link.mtu())
                .addresses(PodRoutes.reached(link.name(), node).stream()
                        .map(ip -> new PodAddress(ip.getHostAddress(), ip.getAddress().length * Byte.SIZE, ""))
                        .toList())
                .done());
    }

    @Override
    public Expectation expectation(AttachmentRecord record, Node node) {
        VethPair pair = VethPair.of(record);
        return new Expectation(
                PairExpectation.nodeSide(pair), PairExpectation.podSide(pair), List.of(), Forwarding.sysctls(record));
    }

    @Override
    public Wiring wiring(AttachmentRecord record) {
        return PairWiring.of(record);
    }
}
