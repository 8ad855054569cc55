package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.iproute.Runner;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.link.LinkKind.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.Bandwidth;
import io.enipam.datapath.record.AttachmentRecord.Ends;
import io.enipam.datapath.record.AttachmentRecord.Eni;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.AttachmentRecord.Sandbox;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** A slave of the ENI for each pod that shares it: terway's ENIMultiIP mode with eniip_virtual_type IPVlan. */
public final class IpvlanKind implements LinkKind {
    /** Its name in records. */
    public static final String NAME = "ipvlan";

    private static final String SLAVE = "slave";

    private final IpvlanSupport support = new IpvlanSupport();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean serves(DatapathRequest connection) {
        return NodeLinks.asksFor(LinkType.IPVLAN, connection);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection);
        support.check(node.runner());
        String mac = NodeLinks.eniMac(connection);
        Links.Link eni = NodeLinks.eni(mac, node);
        return new AttachmentRecord(
                Sandbox.of(connection),
                NAME,
                new Ends(
                        connection.link().netns(),
                        "",
                        "",
                        mac,
                        connection.link().mtu().orElse(eni.mtu())),
                PodAddress.routed(connection.lease().resource()),
                // the table has no routes; it identifies the pods that share the ENI
                new Eni(mac, node.tables().of(mac)),
                Bandwidth.of(connection),
                ConnectionValidator.throughNode(connection, node, List.of()),
                Map.of(SLAVE, IpvlanPlan.slave(eni)));
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
        IpvlanPlan plan = plan(record, NodeLinks.eni(record.eniMac(), node), node);
        NodeLinks.forwarding(record).forEach(node.sysctls()::set);
        node.runner().run(plan.shared());
        try {
            node.runner().run(plan.podLink());
        } catch (CommandFailedException e) {
            if (!e.answer().contains(Batch.EXISTS)) {
                throw e;
            }
            if (!isThere(record, node)) {
                throw SubnetLink.nameConflict(record.podLink(), record);
            }
        }
        node.runner().run(plan.routes());
        node.runner().run(plan.podSide());
    }

    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        if (isOurs(record, node)) {
            node.runner().run(Batch.in(record.netns()).ipIfThere("link del dev " + record.podLink() + " type ipvlan"));
        }
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        if (eni.isPresent()) {
            node.runner().run(plan(record, eni.get(), node).without(staying));
        }
    }

    @Override
    public Optional<Set<InetAddress>> reachableAddresses(AttachmentRecord record, NetnsSnapshot node) {
        Set<InetAddress> own = new HashSet<>(NodeLinks.reached(slave(record), node));
        own.retainAll(record.addresses().stream()
                .map(address -> Address.literal(address.ip()))
                .toList());
        return own.isEmpty() ? Optional.empty() : Optional.of(own);
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        String slave = slave(record);
        List<Expectation.Route> here = new ArrayList<>();
        List<NetnsSnapshot.OnLink> addresses = new ArrayList<>();
        List<Expectation.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            here.add(new Expectation.Route("main", "unicast", address.ip(), "", slave));
            addresses.add(new NetnsSnapshot.OnLink(record.podLink(), address.inSubnet()));
            routes.add(new Expectation.Route("main", "unicast", "default", address.gateway(), record.podLink()));
        }
        return new Expectation(
                new Expectation.Side(
                        List.of(new Expectation.Link(slave, "")), List.of(), List.of(), here, Optional.empty()),
                new Expectation.Side(
                        List.of(new Expectation.Link(record.podLink(), record.eniMac())),
                        addresses,
                        List.of(),
                        routes,
                        TokenBucket.shown(record.egress(), record.mtu())),
                List.of(),
                NodeLinks.forwarding(record));
    }

    @Override
    public DatapathResult wiring(AttachmentRecord record) {
        return new DatapathResult(
                List.of(new DatapathResult.Link(record.podLink(), record.podMac(), record.mtu(), record.netns())),
                record.addresses().stream()
                        .map(address ->
                                new DatapathResult.PodAddress(Address.parse(address.inSubnet()), address.gateway(), 0))
                        .toList(),
                record.addresses().stream()
                        .map(address -> new DatapathResult.Route(address.everywhere(), address.gateway()))
                        .toList());
    }

    /** Whether the pod's link of the name is a slave of its ENI: a repeated ADD's, or one that is repaired. */
    private static boolean isThere(AttachmentRecord record, LinkContext node) {
        String link = node.runner()
                .read(record.netns(), List.of("ip -j -d link show dev " + record.podLink()))
                .get(0);
        return link.contains("\"info_kind\":\"ipvlan\"") && link.contains(record.eniMac());
    }

    /**
     * Whether it is still there, and not another pod's in a namespace that has the path of one that ended: the number
     * of a process comes again. The kernel deletes a link of any type by its name.
     */
    private static boolean isOurs(AttachmentRecord record, LinkContext node) {
        if (!Netns.usable(record.netns())) {
            return false;
        }
        List<String> own = record.addresses().stream()
                .map(AttachmentRecord.PodAddress::inSubnet)
                .toList();
        try {
            NetnsSnapshot pod = NetnsSnapshot.of(node.runner(), record.netns());
            boolean others = pod.addresses().stream()
                    .filter(on ->
                            on.link().equals(record.podLink()) && !on.address().startsWith("fe80:"))
                    .anyMatch(on -> !own.contains(on.address()));
            return !others
                    && pod.link(record.podLink())
                            .filter(link -> link.mac().equals(record.eniMac()))
                            .isPresent();
        } catch (CommandFailedException e) {
            if (Netns.usable(record.netns())) {
                throw e;
            }
            // it ended meanwhile, and its links with it
            return false;
        }
    }

    /** The node's slave of the pod's ENI. */
    private static String slave(AttachmentRecord record) {
        return record.more().getOrDefault(SLAVE, "");
    }

    /**
     * Whether the kernel has ipvlan, found out by asking it for a slave of the loopback: a kernel that has it refuses
     * that for another reason, after loading the module where it is one. A yes is remembered; a no is asked again, so
     * that a module that is loaded later loads is found. Thread-safe.
     */
    private static final class IpvlanSupport {
        private static final String TRIAL = "enipam-trial";

        private final AtomicBoolean known = new AtomicBoolean();

        /** @throws IpamException if it has not, with what to do */
        void check(Runner runner) {
            if (known.get()) {
                return;
            }
            try {
                runner.run(Batch.here().ip("link add link lo name " + TRIAL + " type ipvlan mode l2"));
                runner.run(Batch.here().ipIfThere("link del dev " + TRIAL));
            } catch (CommandFailedException e) {
                if (e.answer().contains("Unknown device type") || e.answer().contains("not supported")) {
                    throw new IpamException(
                            ErrorCode.DATAPATH_FAILED,
                            "the network's eniip_virtual_type is IPVlan, and this kernel has no ipvlan: " + e.answer(),
                            "take a kernel with CONFIG_IPVLAN (modprobe ipvlan), or set eniip_virtual_type to Veth in"
                                    + " the network's conflist",
                            e);
                }
            }
            known.set(true);
        }
    }
}
