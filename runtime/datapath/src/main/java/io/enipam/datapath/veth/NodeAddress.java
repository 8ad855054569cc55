package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.util.Optional;

/** The node's own address on an ENI: what the node itself says to a pod through the ENI comes from it. */
final class NodeAddress {
    private NodeAddress() {}

    /** As it is on the ENI: a network of its own. Empty if it is not known, or is the ENI's anyway, with a subnet. */
    static Optional<String> of(Family family, AttachmentRecord record, LinkContext node) {
        Optional<String> address = node.side().address(family).map(ip -> new Address(ip, family.bits()).toString());
        Optional<Links.Link> eni = node.links().byMac(record.eniMac());
        return address.filter(own -> eni.isEmpty()
                || eni.get().addresses().stream()
                        .noneMatch(there ->
                                there.startsWith(own.substring(0, own.indexOf('/') + 1)) && !there.equals(own)));
    }
}
