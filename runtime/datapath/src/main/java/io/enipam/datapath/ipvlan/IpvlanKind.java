package io.enipam.datapath.ipvlan;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.AttachmentRecordBuilder;
import io.enipam.datapath.link.ConnectionValidator;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.link.Forwarding;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.LinkNameConflict;
import io.enipam.datapath.link.NodeLinkFinder;
import io.enipam.datapath.link.PodRoutes;
import io.enipam.datapath.link.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A slave of the ENI for each pod that shares it: terway's ENIMultiIP mode with eniip_virtual_type IPVlan. */
public final class IpvlanKind implements LinkKind {
    /** How records call it. */
    public static final String NAME = "ipvlan";

    private static final String SLAVE = "slave";

    private final IpvlanSupport support = new IpvlanSupport();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean serves(DatapathRequest connection) {
        Resource resource = connection.lease().resource();
        return connection.link().type() == LinkType.IPVLAN
                && resource.kind().equals(ResourceKind.ENI_IP)
                && resource.attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection);
        support.check(node.runner());
        String mac = NodeLinkFinder.eniMac(connection);
        Links.Link eni = NodeLinkFinder.eni(mac, node);
        return AttachmentRecordBuilder.of(NAME, connection)
                .podLink(mac, connection.link().mtu().orElse(eni.mtu()))
                .addresses(AttachmentRecordBuilder.routedAddresses(
                        connection.lease().resource()))
                // no routes are there; it tells who shares the ENI
                .eni(mac, node.tables().of(mac))
                .throughNode(ConnectionValidator.throughNode(connection, node, List.of()))
                .more(Map.of(SLAVE, IpvlanPlan.slave(eni)))
                .build();
    }

    private static IpvlanPlan plan(AttachmentRecord record, Links.Link eni, LinkContext node) {
        return new IpvlanPlan(
                record,
                eni,
                Stream.of(Family.values())
                        .filter(record::has)
                        .flatMap(family -> node.side().address(family).stream())
                        .map(address -> new Address(address, address.getAddress().length * Byte.SIZE).toString())
                        .toList());
    }

    @Override
    public void connect(AttachmentRecord record, LinkContext node) {
        IpvlanPlan plan = plan(record, NodeLinkFinder.eni(record.eniMac(), node), node);
        Forwarding.sysctls(record).forEach(node.sysctls()::set);
        node.runner().run(plan.shared());
        try {
            node.runner().run(plan.podLink());
        } catch (CommandFailedException e) {
            if (!e.answer().contains(Batch.EXISTS)) {
                throw e;
            }
            if (!PodSlave.isThere(record, node)) {
                throw LinkNameConflict.inPod(record.podLink(), record);
            }
        }
        node.runner().run(plan.routes());
        node.runner().run(plan.podSide());
    }

    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        if (PodSlave.isOurs(record, node)) {
            node.runner().run(Batch.in(record.netns()).ipIfThere("link del dev " + record.podLink() + " type ipvlan"));
        }
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        if (eni.isPresent()) {
            node.runner().run(plan(record, eni.get(), node).without(staying));
        }
    }

    @Override
    public Optional<Set<InetAddress>> reachableAddresses(AttachmentRecord record, NetnsSnapshot node) {
        Set<InetAddress> own = new HashSet<>(PodRoutes.reached(slave(record), node));
        own.retainAll(record.addresses().stream()
                .map(address -> Address.literal(address.ip()))
                .toList());
        return own.isEmpty() ? Optional.empty() : Optional.of(own);
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        return IpvlanExpectation.expectation(record);
    }

    @Override
    public DatapathResult wiring(AttachmentRecord record) {
        return IpvlanExpectation.wiring(record);
    }

    /** The node's slave of the pod's ENI. */
    static String slave(AttachmentRecord record) {
        return record.more().getOrDefault(SLAVE, "");
    }
}
