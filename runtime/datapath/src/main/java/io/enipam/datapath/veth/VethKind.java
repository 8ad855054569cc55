package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Snapshot;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.PodRoutes;
import io.enipam.datapath.link.Staying;
import io.enipam.datapath.pair.PairWiring;
import io.enipam.datapath.record.Alias;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.Connection;
import io.enipam.engine.model.LinkType;
import io.enipam.engine.model.Wiring;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.net.InetAddress;
import java.util.Optional;
import java.util.Set;

/** A veth pair to a pod that shares an ENI with others: terway's ENIMultiIP mode. */
public final class VethKind implements LinkKind {
    /** How records call it. */
    public static final String NAME = "veth";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean serves(Connection connection) {
        Resource resource = connection.lease().resource();
        return connection.link().type() == LinkType.VETH
                && resource.kind().equals(ResourceKind.ENI_IP)
                && resource.attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(Connection connection, Node node) {
        return VethDesign.of(connection, node);
    }

    @Override
    public void connect(AttachmentRecord record, Node node) {
        new VethMaker(record, node).connect();
    }

    @Override
    public void disconnect(AttachmentRecord record, Node node, Staying staying) {
        new VethTaker(record, node).disconnect(staying);
    }

    @Override
    public Optional<Set<InetAddress>> reached(AttachmentRecord record, Snapshot node) {
        return PodRoutes.reached(record, node);
    }

    @Override
    public Optional<AttachmentRecord> recognised(Alias alias, Snapshot.Link link, Snapshot node) {
        return VethRecognition.of(alias, link, node);
    }

    @Override
    public Expectation expectation(AttachmentRecord record, Node node) {
        return VethExpectation.of(record, node);
    }

    @Override
    public Wiring wiring(AttachmentRecord record) {
        return PairWiring.of(record);
    }
}
