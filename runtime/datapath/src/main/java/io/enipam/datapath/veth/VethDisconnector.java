package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.RetainedState;
import io.enipam.datapath.pair.VethPair;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.util.Optional;

/** Disconnects one pod, in one process; the pod's side goes with the veth pair. */
final class VethDisconnector {
    private final AttachmentRecord record;
    private final LinkContext node;

    VethDisconnector(AttachmentRecord record, LinkContext node) {
        this.record = record;
        this.node = node;
    }

    void disconnect(RetainedState staying) {
        Batch batch = Batch.here();
        for (PodAddress address : record.addresses()) {
            boolean ipv6 = address.family() == Family.IPV6;
            batch.noRule(ipv6, VethRules.from(address, record));
            if (!staying.addresses().contains(address.ip())) {
                // this one names no link: the other pod with the address needs it
                batch.noRule(ipv6, VethRules.to(address));
            }
        }
        VethPair.of(record).remove(batch, node);
        if (!staying.table()) {
            withoutTable(batch);
        }
        node.runner().run(batch);
    }

    private void withoutTable(Batch batch) {
        batch.flush(false, record.table());
        batch.flush(true, record.table());
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        for (Family family : Family.values()) {
            if (record.has(family) && eni.isPresent()) {
                node.side()
                        .address(family)
                        .map(ip -> new Address(ip, family.bits()))
                        .ifPresent(own -> batch.ipIfThere(
                                "addr del " + own + " dev " + eni.get().name()));
            }
        }
    }
}
