package io.enipam.datapath.exclusive;

import io.enipam.datapath.iproute.Snapshot;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.PodRoutes;
import io.enipam.datapath.link.Staying;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.OwnerName;
import io.enipam.engine.model.Connection;
import io.enipam.engine.model.Wiring;
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
    public boolean serves(Connection connection) {
        Resource resource = connection.lease().resource();
        return resource.kind().equals(WHOLE) && resource.attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(Connection connection, Node node) {
        return ExclusiveDesign.of(connection, node);
    }

    /** The pair beside the NIC. */
    static VethPair pair(AttachmentRecord record) {
        return new VethPair(record, SIDE, new OwnerName(record.key()).mac(1));
    }

    @Override
    public void connect(AttachmentRecord record, Node node) {
        new ExclusiveMaker(record, node).connect();
    }

    @Override
    public void disconnect(AttachmentRecord record, Node node, Staying staying) {
        new NicReturn(record, node).disconnect();
    }

    @Override
    public Optional<Set<InetAddress>> reached(AttachmentRecord record, Snapshot node) {
        return PodRoutes.reached(record, node);
    }

    @Override
    public Expectation expectation(AttachmentRecord record, Node node) {
        return ExclusiveLooks.expectation(
                record, node.links().byMac(record.eniMac()).isPresent());
    }

    @Override
    public List<String> limitedInPod(AttachmentRecord record) {
        return List.of(record.podLink(), SIDE);
    }

    @Override
    public Wiring wiring(AttachmentRecord record) {
        return ExclusiveLooks.wiring(record);
    }
}
