package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.PodRoutes;
import io.enipam.datapath.link.RetainedState;
import io.enipam.datapath.pair.PairWiring;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.LinkAlias;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.LinkRequest.LinkType;
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
    public boolean serves(DatapathRequest connection) {
        Resource resource = connection.lease().resource();
        return connection.link().type() == LinkType.VETH
                && resource.kind().equals(ResourceKind.ENI_IP)
                && resource.attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        return VethDesign.of(connection, node);
    }

    @Override
    public void connect(AttachmentRecord record, LinkContext node) {
        new VethConnector(record, node).connect();
    }

    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        new VethDisconnector(record, node).disconnect(staying);
    }

    @Override
    public Optional<Set<InetAddress>> reachableAddresses(AttachmentRecord record, NetnsSnapshot node) {
        return PodRoutes.reached(record, node);
    }

    @Override
    public Optional<AttachmentRecord> recoverRecord(LinkAlias alias, NetnsSnapshot.Link link, NetnsSnapshot node) {
        return VethRecordRecovery.of(alias, link, node);
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        return VethExpectation.of(record, node);
    }

    @Override
    public DatapathResult wiring(AttachmentRecord record) {
        return PairWiring.of(record);
    }
}
