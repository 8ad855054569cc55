package io.enipam.datapath.routed;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.Forwarding;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.NodeLinkFinder;
import io.enipam.datapath.link.PodRoutes;
import io.enipam.datapath.link.AttachmentRecordBuilder;
import io.enipam.datapath.link.RetainedState;
import io.enipam.datapath.link.ConnectionValidator;
import io.enipam.datapath.pair.NodeEnd;
import io.enipam.datapath.pair.PairExpectation;
import io.enipam.datapath.pair.PairWiring;
import io.enipam.datapath.pair.PodEnd;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.LinkAlias;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
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
    public boolean serves(DatapathRequest connection) {
        return !connection.lease().resource().attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection);
        SandboxLinkNames name = new SandboxLinkNames(connection.lease().owner());
        return AttachmentRecordBuilder.of(NAME, connection)
                .hostLink(name.link(connection.link().vethPrefix()), name.mac(0))
                .podLink(name.mac(1), connection.link().mtu().orElseGet(() -> NodeLinkFinder.ownMtu(node)))
                .addresses(AttachmentRecordBuilder.addresses(connection.lease().resource()))
                .build();
    }

    @Override
    public void connect(AttachmentRecord record, LinkContext node) {
        VethPair pair = VethPair.of(record);
        NodeEnd.connect(pair, node);
        PodEnd.connect(pair, node);
    }

    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        Batch here = Batch.here();
        VethPair.of(record).remove(here, node);
        node.runner().run(here);
    }

    @Override
    public Optional<Set<InetAddress>> reachableAddresses(AttachmentRecord record, NetnsSnapshot node) {
        return PodRoutes.reached(record, node);
    }

    /**
     * A pair without a rule is one: what else there is of an exclusive ENI's, the NIC itself, comes back with the end of the pod's
     * namespace.
     */
    @Override
    public Optional<AttachmentRecord> recoverRecord(LinkAlias alias, NetnsSnapshot.Link link, NetnsSnapshot node) {
        SandboxLinkNames name = new SandboxLinkNames(alias.owner());
        boolean ruled = node.rules().stream().anyMatch(rule -> rule.link().equals(link.name()));
        if (ruled || !link.name().endsWith(name.digits()) || !link.mac().equals(name.mac(0))) {
            return Optional.empty();
        }
        return Optional.of(AttachmentRecordBuilder.of(NAME, alias)
                .hostLink(link.name(), link.mac())
                .podLink(name.mac(1), link.mtu())
                .addresses(PodRoutes.reached(link.name(), node).stream()
                        .map(ip -> new PodAddress(ip.getHostAddress(), ip.getAddress().length * Byte.SIZE, ""))
                        .toList())
                .build());
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        VethPair pair = VethPair.of(record);
        return new Expectation(
                PairExpectation.nodeSide(pair), PairExpectation.podSide(pair), List.of(), Forwarding.sysctls(record));
    }

    @Override
    public DatapathResult wiring(AttachmentRecord record) {
        return PairWiring.of(record);
    }
}
