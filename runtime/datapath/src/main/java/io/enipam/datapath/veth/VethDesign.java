package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.NodeLinks;
import io.enipam.datapath.link.RecordDraft;
import io.enipam.datapath.link.Words;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.OwnerName;
import io.enipam.engine.model.Connection;
import java.util.List;

/** What a connection will be, before anything is done. */
final class VethDesign {
    private VethDesign() {}

    static AttachmentRecord of(Connection connection, Node node) {
        Words.check(connection);
        String mac = NodeLinks.eniMac(connection);
        Links.Link eni = NodeLinks.eni(mac, node);
        OwnerName name = new OwnerName(connection.lease().owner());
        return RecordDraft.of(VethKind.NAME, connection)
                .hostLink(name.link(connection.link().vethPrefix()), name.mac(0))
                .podLink(name.mac(1), connection.link().mtu().orElse(eni.mtu()))
                .addresses(RecordDraft.routedAddresses(connection.lease().resource()))
                .eni(mac, node.tables().of(mac))
                .throughNode(Words.throughNode(connection, node, List.of()))
                .done();
    }
}
