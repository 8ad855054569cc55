package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.TokenBucket;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.Family;
import java.util.List;

/** Connects one pod: one process on the node's side, one in the pod's namespace. */
final class VethMaker {
    private final AttachmentRecord record;
    private final Node node;
    private final String veth;
    private final String eni;

    VethMaker(AttachmentRecord record, Node node) {
        this.record = record;
        this.node = node;
        this.veth = record.hostLink();
        this.eni = Eni.of(record.eniMac(), node).name();
    }

    void connect() {
        NodeSysctls.beforeLinks(record, node);
        if (node.links().byName(veth).isPresent()) {
            keepOrRemove();
        }
        Batch here = Batch.here();
        if (node.links().byName(veth).isEmpty()) {
            here.ip("link add name " + veth + " address " + record.hostMac() + " mtu " + record.mtu()
                    + " type veth peer name " + record.podLink() + " address " + record.podMac() + " mtu "
                    + record.mtu() + " netns " + record.netns());
        }
        nodeSide(here);
        try {
            node.runner().run(here);
        } catch (CommandFailedException e) {
            throw e.command().startsWith("link add") && e.answer().contains(Batch.EXISTS) ? taken() : e;
        }
        NodeSysctls.ofLinks(record, node, eni);
        if (!record.netns().isEmpty()) {
            node.runner().run(podSide());
        }
    }

    /** A link of our name: a repeated ADD's, unless the pod's end is elsewhere or nowhere. */
    private void keepOrRemove() {
        if (!node.links().macOf(veth).equals(record.hostMac())) {
            throw new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "the link " + veth + " exists and is not enipam's: its hardware address is not " + record.hostMac(),
                    "see 'ip -d link show dev " + veth + "'; remove it, or set another veth_prefix");
        }
        if (!record.netns().isEmpty() && !podEndIsThere()) {
            node.runner().run(Batch.here().ipIfThere("link del dev " + veth));
        }
    }

    private boolean podEndIsThere() {
        try {
            return node.runner()
                    .read(record.netns(), List.of("ip link show dev " + record.podLink()))
                    .get(0)
                    .contains(record.podMac());
        } catch (CommandFailedException e) {
            return false;
        }
    }

    private IpamException taken() {
        return new IpamException(
                ErrorCode.DATAPATH_FAILED,
                "the interface " + record.podLink() + " is already present in " + record.netns()
                        + " and is not enipam's",
                "another plugin made it: set another CNI_IFNAME, or remove that plugin from the network's list");
    }

    /** Everything in this namespace, each command such that it may be repeated. */
    void nodeSide(Batch batch) {
        batch.ip("link set dev " + veth + " alias " + record.alias());
        if (record.has(Family.IPV6)) {
            batch.ip("link set dev " + veth + " addrgenmode none");
        }
        batch.ip("link set dev " + veth + " up").ip("link set dev " + eni + " up");
        if (record.has(Family.IPV6)) {
            // what asks for a pod's hardware address needs an address that is no more on trial
            batch.ip("addr replace " + VethFacts.gateway(Family.IPV6) + "/64 dev " + veth + " nodad");
        }
        record.addresses().forEach(address -> routes(batch, address));
        for (PodAddress address : record.addresses()) {
            boolean ipv6 = address.family() == Family.IPV6;
            batch.rule(ipv6, VethRules.to(address)).rule(ipv6, VethRules.from(address, record));
        }
        if (record.ingress() > 0) {
            batch.tc(TokenBucket.of(record.ingress(), record.mtu()).command(veth));
        }
    }

    private void routes(Batch batch, PodAddress address) {
        NodeAddress.of(address.family(), record, node)
                .ifPresent(own -> batch.ip(
                        "addr replace " + own + " dev " + eni + (address.family() == Family.IPV6 ? " nodad" : "")));
        String mark = " protocol " + Batch.PROTOCOL;
        batch.ip("route replace " + address.alone() + " dev " + veth
                + (address.family() == Family.IPV4 ? " scope link" : "") + mark);
        batch.ip("route replace default via " + address.gateway() + " dev " + eni + " onlink table " + record.table()
                + mark);
        record.throughNode().stream()
                .filter(cidr -> (cidr.indexOf(':') >= 0) == (address.family() == Family.IPV6))
                .forEach(cidr -> batch.ip("route replace throw " + cidr + " table " + record.table() + mark));
    }

    /** Everything in the pod's. */
    Batch podSide() {
        Batch batch = Batch.in(record.netns());
        String link = record.podLink();
        if (record.has(Family.IPV6)) {
            String conf = "net/ipv6/conf/" + link + "/";
            batch.sysctl(conf + "disable_ipv6", "0")
                    .sysctl(conf + "accept_ra", "0")
                    .sysctl(conf + "accept_dad", "0");
        }
        batch.ip("link set dev " + link + " up");
        for (PodAddress address : record.addresses()) {
            String gateway = VethFacts.gateway(address.family());
            batch.ip("addr replace " + address.alone() + " dev " + link
                            + (address.family() == Family.IPV6 ? " nodad" : ""))
                    .ip("neigh replace " + gateway + " lladdr " + record.hostMac() + " dev " + link + " nud permanent")
                    .ip("route replace default via " + gateway + " dev " + link + " onlink");
        }
        if (record.egress() > 0) {
            batch.tc(TokenBucket.of(record.egress(), record.mtu()).command(link));
        }
        return batch;
    }
}
