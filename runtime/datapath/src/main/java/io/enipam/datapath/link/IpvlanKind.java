package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.iproute.Runner;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.link.Expectation.Route;
import io.enipam.datapath.link.Expectation.Side;
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
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** A slave of the ENI for each pod that shares it: terway's ENIMultiIP mode with eniip_virtual_type IPVlan. */
public final class IpvlanKind implements LinkKind {
    private static final String SLAVE = "slave";
    private static final String TRIAL = "enipam-trial";

    private final AtomicBoolean supported = new AtomicBoolean();

    @Override
    public String name() {
        return "ipvlan";
    }

    @Override
    public boolean serves(DatapathRequest connection) {
        return NodeLinks.asksFor(LinkType.IPVLAN, connection);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection, node);
        requireIpvlan(node.runner());
        String mac = NodeLinks.eniMac(connection);
        Links.Link eni = NodeLinks.eni(mac, node);
        return new AttachmentRecord(
                Sandbox.of(connection),
                name(),
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
                Map.of(SLAVE, nodeSlave(eni)));
    }

    /**
     * Asks the kernel for an ipvlan slave of the loopback: a kernel that has ipvlan refuses that for another reason,
     * after loading the module where it is one. A yes is remembered; a no is asked again, so that a module that is
     * loaded later is found. Throws IpamException if it has not, with what to do.
     */
    private void requireIpvlan(Runner runner) {
        if (supported.get()) {
            return;
        }
        try {
            runner.run(Batch.here().ip("link add link lo name " + TRIAL + " type ipvlan mode l2"));
            runner.run(Batch.here().noLink(TRIAL));
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
        supported.set(true);
    }

    private static IpvlanPlan plan(AttachmentRecord record, Links.Link eni, LinkContext node) {
        return new IpvlanPlan(
                record,
                eni,
                node.ownAddresses().stream()
                        .map(NodeLinks::alone)
                        .filter(own -> record.has(own.family()))
                        .map(Address::toString)
                        .toList());
    }

    @Override
    public void connect(AttachmentRecord record, LinkContext node) {
        IpvlanPlan plan = plan(record, NodeLinks.eni(record.eniMac(), node), node);
        node.forward(record);
        node.runner().run(plan.shared());
        try {
            node.runner().run(plan.podLink());
        } catch (CommandFailedException e) {
            if (!e.answer().contains(Batch.EXISTS)) {
                throw e;
            }
            if (!isThere(record, node)) {
                throw NodeLinks.nameConflict(record.podLink(), record);
            }
        }
        node.runner().run(plan.routes());
        node.runner().run(plan.podSide());
    }

    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        if (isOurs(record, node)) {
            node.runner().run(Batch.in(record.netns()).noLink(record.podLink()));
        }
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        if (eni.isPresent()) {
            node.runner().run(plan(record, eni.get(), node).without(staying));
        }
    }

    @Override
    public Optional<Set<InetAddress>> reachableAddresses(AttachmentRecord record, NetnsSnapshot node) {
        Set<InetAddress> own = new HashSet<>(NodeLinks.reached(slave(record), node));
        own.retainAll(record.each(address -> Address.literal(address.ip())));
        return own.isEmpty() ? Optional.empty() : Optional.of(own);
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        String slave = slave(record);
        String link = record.podLink();
        return new Expectation(
                new Side(
                        List.of(new Expectation.Link(slave, "")),
                        List.of(),
                        List.of(),
                        record.each(address -> Route.main(address.ip(), "", slave)),
                        Optional.empty()),
                new Side(
                        List.of(new Expectation.Link(link, record.eniMac())),
                        record.each(address -> new NetnsSnapshot.OnLink(link, address.inSubnet())),
                        List.of(),
                        record.each(address -> Route.main("default", address.gateway(), link)),
                        TokenBucket.shown(record.egress(), record.mtu())),
                List.of(),
                NodeLinks.forwarding(record));
    }

    @Override
    public DatapathResult wiring(AttachmentRecord record) {
        return new DatapathResult(
                List.of(new DatapathResult.Link(
                        record.podLink(), record.ends().podMac(), record.mtu(), record.netns())),
                record.each(address ->
                        new DatapathResult.PodAddress(Address.parse(address.inSubnet()), address.gateway(), 0)),
                record.each(address -> new DatapathResult.Route(address.everywhere(), address.gateway())));
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
        List<String> own = record.each(PodAddress::inSubnet);
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

    /** How the node's slave of an ENI is called; terway's. */
    private static String nodeSlave(Links.Link eni) {
        return "ipvl_" + eni.index();
    }

    /** The node's slave of the pod's ENI. */
    private static String slave(AttachmentRecord record) {
        return record.more().getOrDefault(SLAVE, "");
    }

    /**
     * The commands of one pod. Pods of an ENI share a slave of it on the node's side, which is how the node reaches
     * them; a slave never receives on its own ENI's link, so the node's own address is on it.
     *
     * @param own the node's own addresses, each as a network of its own
     */
    record IpvlanPlan(AttachmentRecord record, Links.Link eni, List<String> own) {
        /** The place of our filters among others'; terway's. */
        static final int PRIORITY = 40_000;

        private String slave() {
            return nodeSlave(eni);
        }

        /** What all pods of the ENI share: the node's slave, and the filters that lead services to it. */
        Batch shared() {
            Batch here = Batch.here();
            here.up(eni.name())
                    .ipUnlessThere("link add link " + eni.name() + " name " + slave() + " mtu " + eni.mtu()
                            + " type ipvlan mode l2")
                    .ip("link set dev " + slave() + " arp off up");
            own.forEach(address -> here.ip("addr replace " + address + " dev " + slave()
                    + (address.indexOf(':') < 0 ? " scope host" : " nodad")));
            here.tc("qdisc replace dev " + eni.name() + " clsact");
            int handle = 1;
            for (String cidr : record.throughNode()) {
                here.tc(filter(cidr, handle++, slave()));
            }
            return here;
        }

        /** Takes what leaves by the ENI for a CIDR, and gives it to the node as if it came in by its slave. */
        String filter(String cidr, int handle, String to) {
            boolean ipv6 = cidr.indexOf(':') >= 0;
            // each family has a hash table of filters of its own, and so a place of its own
            return "filter replace dev " + eni.name() + " egress pref " + (ipv6 ? PRIORITY + 1 : PRIORITY) + " handle "
                    + (ipv6 ? "801" : "800") + "::" + Integer.toHexString(handle) + " protocol "
                    + (ipv6 ? "ipv6" : "ip")
                    + " u32 match " + (ipv6 ? "ip6" : "ip") + " dst " + cidr + " action mirred ingress redirect dev "
                    + to;
        }

        /** The pod's own slave, made in its namespace at once, and the way to it. */
        Batch podLink() {
            return Batch.here()
                    .ip("link add link " + eni.name() + " name " + record.podLink() + " mtu " + record.mtu() + " netns "
                            + record.netns() + " type ipvlan mode l2");
        }

        Batch routes() {
            Batch here = Batch.here();
            record.addresses().forEach(address -> here.podRoute(address.alone(), slave()));
            return here;
        }

        Batch podSide() {
            Batch pod = Batch.in(record.netns());
            String link = record.podLink();
            NodeLinks.subnetSysctls(record, pod);
            pod.up(link);
            NodeLinks.subnetAddresses(record, pod);
            if (record.egress() > 0) {
                TokenBucket.of(record.egress(), record.mtu()).limit(link, pod);
            }
            return pod;
        }

        /** Takes the ways to the pod away, and with the ENI's last pod what they shared. */
        Batch without(RetainedState staying) {
            Batch here = Batch.here();
            record.addresses().stream()
                    .filter(address -> !staying.addresses().contains(address.ip()))
                    .forEach(address -> here.noPodRoute(address.alone(), slave()));
            if (!staying.table()) {
                here.noLink(slave()).tcIfThere("qdisc del dev " + eni.name() + " clsact");
            }
            return here;
        }
    }
}
