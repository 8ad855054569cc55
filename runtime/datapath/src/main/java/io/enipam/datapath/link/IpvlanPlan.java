package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.LinkKind.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.sdk.Family;
import java.util.List;

/**
 * The commands of one pod. Pods of an ENI share a slave of it on the node's side, which is how the node reaches them; a
 * slave never receives on its own ENI's link, so the node's own address is on it.
 *
 * @param eni the ENI's link
 * @param own the node's own addresses, each as a network of its own
 */
record IpvlanPlan(AttachmentRecord record, Links.Link eni, List<String> own) {
    /** The place of our filters among others'; terway's. */
    static final int PRIORITY = 40_000;

    /** How the node's slave of an ENI is called; terway's. */
    static String slave(Links.Link eni) {
        return "ipvl_" + eni.index();
    }

    private String slave() {
        return slave(eni);
    }

    /** What all pods of the ENI share: the node's slave, and the filters that lead services to it. */
    Batch shared() {
        Batch here = Batch.here();
        here.ip("link set dev " + eni.name() + " up")
                .ipUnlessThere("link add link " + eni.name() + " name " + slave() + " mtu " + eni.mtu()
                        + " type ipvlan mode l2")
                .ip("link set dev " + slave() + " arp off up");
        own.forEach(address -> here.ip(
                "addr replace " + address + " dev " + slave() + (address.indexOf(':') < 0 ? " scope host" : " nodad")));
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
                + (ipv6 ? "801" : "800") + "::" + Integer.toHexString(handle) + " protocol " + (ipv6 ? "ipv6" : "ip")
                + " u32 match " + (ipv6 ? "ip6" : "ip") + " dst " + cidr + " action mirred ingress redirect dev " + to;
    }

    /** The pod's own slave, made in its namespace at once, and the way to it. */
    Batch podLink() {
        Batch here = Batch.here();
        here.ip("link add link " + eni.name() + " name " + record.podLink() + " mtu " + record.mtu() + " netns "
                + record.netns() + " type ipvlan mode l2");
        return here;
    }

    /** The ways to the pod. */
    Batch routes() {
        Batch here = Batch.here();
        record.addresses()
                .forEach(address -> here.ip("route replace " + address.alone() + " dev " + slave()
                        + (address.family() == Family.IPV4 ? " scope link" : "") + " protocol "
                        + Batch.PROTOCOL));
        return here;
    }

    /** Everything in the pod's namespace. */
    Batch podSide() {
        Batch pod = Batch.in(record.netns());
        String link = record.podLink();
        SubnetLink.sysctls(record, pod);
        pod.ip("link set dev " + link + " up");
        SubnetLink.addresses(record, pod);
        if (record.egress() > 0) {
            pod.tc(TokenBucket.of(record.egress(), record.mtu()).command(link));
        }
        return pod;
    }

    /** Takes the ways to the pod away, and with the ENI's last pod what they shared. */
    Batch without(RetainedState staying) {
        Batch here = Batch.here();
        record.addresses().stream()
                .filter(address -> !staying.addresses().contains(address.ip()))
                .forEach(address -> here.ipIfThere("route del " + address.alone() + " dev " + slave()));
        if (!staying.table()) {
            here.ipIfThere("link del dev " + slave()).tcIfThere("qdisc del dev " + eni.name() + " clsact");
        }
        return here;
    }
}
