package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.NodeLinkFinder;
import io.enipam.datapath.pair.NodeEnd;
import io.enipam.datapath.pair.PodEnd;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.sdk.Family;

/** Connects one pod: one process on the node's side, one in the pod's namespace. */
final class VethConnector {
    private final AttachmentRecord record;
    private final LinkContext node;
    private final String eni;

    VethConnector(AttachmentRecord record, LinkContext node) {
        this.record = record;
        this.node = node;
        this.eni = NodeLinkFinder.eni(record.eniMac(), node).name();
    }

    void connect() {
        VethPair pair = VethPair.of(record);
        NodeSysctls.beforeLinks(record, node);
        Batch here = Batch.here();
        pair.make(here, node);
        nodeSide(here);
        pair.run(here, node);
        NodeSysctls.ofLinks(record, node, eni);
        PodEnd.connect(pair, node);
    }

    /** Everything in this namespace, each command such that it may be repeated. */
    private void nodeSide(Batch batch) {
        NodeEnd.ready(record, batch);
        batch.ip("link set dev " + eni + " up");
        record.addresses().forEach(address -> routes(batch, address));
        for (PodAddress address : record.addresses()) {
            boolean ipv6 = address.family() == Family.IPV6;
            batch.rule(ipv6, VethRules.to(address)).rule(ipv6, VethRules.from(address, record));
        }
        NodeEnd.limit(record, batch);
    }

    private void routes(Batch batch, PodAddress address) {
        NodeAddress.of(address.family(), record, node)
                .ifPresent(own -> batch.ip(
                        "addr replace " + own + " dev " + eni + (address.family() == Family.IPV6 ? " nodad" : "")));
        NodeEnd.route(record, address, batch);
        String mark = " protocol " + Batch.PROTOCOL;
        batch.ip("route replace default via " + address.gateway() + " dev " + eni + " onlink table " + record.table()
                + mark);
        record.throughNode(address.family())
                .forEach(cidr -> batch.ip("route replace throw " + cidr + " table " + record.table() + mark));
    }
}
