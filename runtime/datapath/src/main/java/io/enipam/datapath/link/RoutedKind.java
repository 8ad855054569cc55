package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.LinkKind.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.Bandwidth;
import io.enipam.datapath.record.AttachmentRecord.Ends;
import io.enipam.datapath.record.AttachmentRecord.Eni;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.AttachmentRecord.Sandbox;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.datapath.record.SandboxLinkNames.LinkAlias;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.sdk.Resource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A veth pair and a route, for a resource that hangs on no interface. The pod's address has no subnet on its link, so everything
 * goes to the node, whose main table knows the way: the VPC's routes lead the node's CIDR back to it.
 */
public final class RoutedKind implements LinkKind {
    @Override
    public String name() {
        return "routed";
    }

    @Override
    public boolean serves(DatapathRequest connection) {
        return !connection.lease().resource().attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection, node);
        int mtu = connection.link().mtu().orElseGet(() -> NodeLinks.ownMtu(node));
        return new AttachmentRecord(
                Sandbox.of(connection),
                name(),
                Ends.of(connection, new SandboxLinkNames(connection.lease().owner()).mac(1), mtu),
                PodAddress.of(connection.lease().resource()),
                Eni.NONE,
                Bandwidth.of(connection),
                List.of(),
                Map.of());
    }

    @Override
    public void connect(AttachmentRecord record, LinkContext node) {
        VethPair pair = VethPair.of(record);
        pair.connectNode(node);
        pair.connectPod(node);
    }

    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        Batch here = Batch.here();
        VethPair.of(record).remove(here, node);
        node.runner().run(here);
    }

    /**
     * A pair without a rule is one: what else there is of an exclusive ENI's, the NIC itself, comes back with the end of the pod's
     * namespace.
     */
    @Override
    public Optional<AttachmentRecord> recoverRecord(LinkAlias alias, NetnsSnapshot.Link link, NetnsSnapshot node) {
        SandboxLinkNames name = new SandboxLinkNames(alias.owner());
        boolean ruled = node.rules().stream().anyMatch(rule -> rule.link().equals(link.name()));
        if (ruled || !name.areOf(link.name(), link.mac())) {
            return Optional.empty();
        }
        return Optional.of(new AttachmentRecord(
                Sandbox.of(alias),
                name(),
                new Ends("", link.name(), link.mac(), name.mac(1), link.mtu()),
                NodeLinks.reached(link.name(), node).stream()
                        .map(ip -> new PodAddress(ip.getHostAddress(), ip.getAddress().length * Byte.SIZE, ""))
                        .toList(),
                Eni.NONE,
                Bandwidth.NONE,
                List.of(),
                Map.of()));
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        VethPair pair = VethPair.of(record);
        return new Expectation(pair.nodeSide(), pair.podSide(), List.of(), NodeLinks.forwarding(record));
    }
}
