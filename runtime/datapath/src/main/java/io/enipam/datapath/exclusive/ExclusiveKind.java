package io.enipam.datapath.exclusive;

import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.PodRoutes;
import io.enipam.datapath.link.RetainedState;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An ENI of its own: terway's ENIOnly mode. */
public final class ExclusiveKind implements LinkKind {
    /** How records call it. */
    public static final String NAME = "exclusive";

    /** The kind of resource that is a whole ENI. */
    public static final ResourceKind WHOLE = new ResourceKind("eni");

    /** The pod's link to the node; terway's. */
    static final String SIDE = "veth1";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean serves(DatapathRequest connection) {
        Resource resource = connection.lease().resource();
        return resource.kind().equals(WHOLE) && resource.attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        return ExclusiveDesign.of(connection, node);
    }

    /** The pair beside the NIC. */
    static VethPair pair(AttachmentRecord record) {
        return new VethPair(record, SIDE, new SandboxLinkNames(record.key()).mac(1));
    }

    @Override
    public void connect(AttachmentRecord record, LinkContext node) {
        new ExclusiveConnector(record, node).connect();
    }

    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        new NicDisconnector(record, node).disconnect();
    }

    @Override
    public Optional<Set<InetAddress>> reachableAddresses(AttachmentRecord record, NetnsSnapshot node) {
        return PodRoutes.reached(record, node);
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        return ExclusiveExpectation.expectation(
                record, node.links().byMac(record.eniMac()).isPresent());
    }

    @Override
    public List<String> limitedInPod(AttachmentRecord record) {
        return List.of(record.podLink(), SIDE);
    }

    @Override
    public DatapathResult wiring(AttachmentRecord record) {
        return ExclusiveExpectation.wiring(record);
    }
}
