package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.iproute.NetnsSnapshot.Neighbour;
import io.enipam.datapath.iproute.NetnsSnapshot.OnLink;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.link.Expectation.Route;
import io.enipam.datapath.link.LinkKind.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.Bandwidth;
import io.enipam.datapath.record.AttachmentRecord.Ends;
import io.enipam.datapath.record.AttachmentRecord.Eni;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.AttachmentRecord.Sandbox;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An ENI of its own: terway's ENIOnly mode. */
public final class ExclusiveKind implements LinkKind {
    /** The kind of resource that is a whole ENI. */
    public static final ResourceKind WHOLE = new ResourceKind("eni");

    /** The pod's link to the node; terway's. */
    static final String SIDE = "veth1";

    /** The name that the kernel gives a NIC that comes back from a namespace that ended, if its own is taken. */
    private static final String COME_BACK = "dev\\d+";

    @Override
    public String name() {
        return "exclusive";
    }

    @Override
    public boolean serves(DatapathRequest connection) {
        Resource resource = connection.lease().resource();
        return resource.kind().equals(WHOLE) && resource.attributes().containsKey(Resource.MAC);
    }

    @Override
    public AttachmentRecord design(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection, node);
        if (connection.lease().owner().ifName().equals(SIDE)) {
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the interface name " + SIDE + " cannot be used: with an ENI of its own a pod has its"
                            + " link to the node there",
                    "set CNI_IFNAME to another name; eth0 is the usual one");
        }
        String mac = NodeLinks.eniMac(connection);
        Nic nic = nic(mac, connection.link().netns(), node);
        List<String> nodeItself = node.ownAddresses().stream()
                .map(own -> NodeLinks.alone(own).toString())
                .toList();
        return new AttachmentRecord(
                Sandbox.of(connection),
                name(),
                Ends.of(connection, mac, connection.link().mtu().orElse(nic.mtu())),
                PodAddress.routed(connection.lease().resource()),
                new Eni(mac, 0),
                Bandwidth.of(connection),
                ConnectionValidator.throughNode(connection, node, nodeItself),
                nic.more());
    }

    /** Finds the NIC by its hardware address, in this namespace or, after half an ADD, in the pod's. */
    private static Nic nic(String mac, String netns, LinkContext node) {
        Optional<Links.Link> here = node.links().byMac(mac);
        if (here.isEmpty()) {
            NetnsSnapshot.Link there = NetnsSnapshot.link(node.runner(), netns, mac)
                    .orElseThrow(() -> new IpamException(
                            ErrorCode.DATAPATH_FAILED,
                            "no link of this node or of the pod has the hardware address " + mac + " of the pod's ENI",
                            "see 'ip link' and 'enipam eni list': the ENI is detached, the node has not seen it yet, or"
                                    + " another pod's namespace still has it"));
            return Nic.parse(there.alias()).orElse(new Nic("", there.mtu()));
        }
        List<String> addresses = node.links().addresses(here.get().name());
        for (InetAddress own : node.ownAddresses()) {
            if (addresses.stream().anyMatch(on -> on.startsWith(own.getHostAddress() + "/"))) {
                throw new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        here.get().name() + " with the hardware address " + mac + " has the node's own address "
                                + own.getHostAddress() + " and is given to no pod",
                        "the ENI is the node's primary one, or the node's default route leads through it: see 'ip"
                                + " route'");
            }
        }
        Nic nic = Nic.of(here.get());
        return nic.name().matches(COME_BACK)
                ? NetnsSnapshot.link(node.runner(), "", mac)
                        .flatMap(link -> Nic.parse(link.alias()))
                        .orElse(nic)
                : nic;
    }

    static VethPair pair(AttachmentRecord record) {
        return new VethPair(record, SIDE, new SandboxLinkNames(record.key()).mac(1));
    }

    /**
     * The pair is made, then the NIC leaves, then a batch goes to the pod's namespace. Whatever fails before leaves the NIC where it
     * is.
     */
    @Override
    public void connect(AttachmentRecord record, LinkContext node) {
        VethPair pair = pair(record);
        pair.connectNode(node);
        move(record, node);
        node.runner().run(podSide(pair));
    }

    private static void move(AttachmentRecord record, LinkContext node) {
        Optional<Links.Link> nic = node.links().byMac(record.eniMac());
        if (nic.isEmpty()) {
            inPlace(record, node);
            return;
        }
        String name = nic.get().name();
        try {
            node.runner()
                    .run(Batch.here()
                            .alias(name, Nic.of(record).alias())
                            .down(name)
                            .move(name, record.netns(), record.podLink()));
        } catch (CommandFailedException e) {
            if (e.answer().contains("same name exists") || e.answer().contains(Batch.EXISTS)) {
                throw NodeLinks.nameConflict(record.podLink(), record);
            }
            throw e;
        }
    }

    /** After half an ADD it is in the pod, under whatever name. */
    private static void inPlace(AttachmentRecord record, LinkContext node) {
        String name = NetnsSnapshot.link(node.runner(), record.netns(), record.eniMac())
                .orElseThrow(() -> new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "the ENI with the hardware address " + record.eniMac()
                                + " left the node while the pod was connected",
                        "see 'enipam eni list': it was detached, or another pod got it"))
                .name();
        if (!name.equals(record.podLink())) {
            node.runner().run(Batch.in(record.netns()).down(name).rename(name, record.podLink()));
        }
    }

    private static Batch podSide(VethPair pair) {
        AttachmentRecord record = pair.record();
        Batch pod = Batch.in(record.netns());
        String nic = record.podLink();
        NodeLinks.subnetSysctls(record, pod);
        // the kernel takes the larger of a link's and that of all: what comes from services and the node may be
        // answered by the NIC
        pod.sysctl("net/ipv4/conf/" + SIDE + "/rp_filter", "2");
        pair.podReady(pod);
        pod.mtu(nic, record.mtu()).up(nic);
        NodeLinks.subnetAddresses(record, pod);
        for (PodAddress address : record.addresses()) {
            for (String cidr : record.throughNode(address.family())) {
                pod.route(cidr, VethPair.gateway(address.family()), SIDE, address.ip());
            }
        }
        if (record.egress() > 0) {
            TokenBucket bucket = TokenBucket.of(record.egress(), record.mtu());
            bucket.limit(nic, pod);
            bucket.limit(SIDE, pod);
        }
        return pod;
    }

    @Override
    public void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying) {
        new Nic.NicDisconnector(record, node, Nic.of(record)).disconnect();
    }

    @Override
    public Expectation expectation(AttachmentRecord record, LinkContext node) {
        // an ENI that was attached again brings its NIC to the node's namespace
        boolean nicIsHere = node.links().byMac(record.eniMac()).isPresent();
        VethPair pair = pair(record);
        String nic = record.podLink();
        List<Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            routes.add(Route.main("default", address.gateway(), nic));
            record.throughNode(address.family())
                    .forEach(cidr -> routes.add(Route.main(cidr, VethPair.gateway(address.family()), SIDE)));
        }
        return new Expectation(
                pair.nodeSide(),
                new Expectation.Side(
                        List.of(
                                new Expectation.Link(nic, record.eniMac(), nicIsHere),
                                new Expectation.Link(SIDE, pair.peerMac())),
                        record.each(address -> new OnLink(nic, address.inSubnet())),
                        record.each(address ->
                                new Neighbour(SIDE, VethPair.gateway(address.family()), record.hostMac(), true)),
                        routes,
                        TokenBucket.shown(record.egress(), record.mtu())),
                List.of(),
                NodeLinks.forwarding(record));
    }

    @Override
    public List<String> limitedInPod(AttachmentRecord record) {
        return List.of(record.podLink(), SIDE);
    }

    @Override
    public DatapathResult wiring(AttachmentRecord record) {
        VethPair pair = pair(record);
        List<DatapathResult.Link> links = new ArrayList<>(pair.links());
        links.add(1, new DatapathResult.Link(record.podLink(), record.eniMac(), record.mtu(), record.netns()));
        List<DatapathResult.Route> routes = new ArrayList<>();
        for (PodAddress address : record.addresses()) {
            routes.add(new DatapathResult.Route(address.everywhere(), address.gateway()));
            record.throughNode(address.family())
                    .forEach(cidr -> routes.add(new DatapathResult.Route(cidr, VethPair.gateway(address.family()))));
        }
        return new DatapathResult(
                links,
                record.each(address ->
                        new DatapathResult.PodAddress(Address.parse(address.inSubnet()), address.gateway(), 1)),
                routes);
    }
}
