package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.NodeLinkFinder;
import io.enipam.datapath.link.AttachmentRecordBuilder;
import io.enipam.datapath.link.ConnectionValidator;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import java.util.List;

/** What a connection will be, before anything is done. */
final class VethDesign {
    private VethDesign() {}

    static AttachmentRecord of(DatapathRequest connection, LinkContext node) {
        ConnectionValidator.check(connection);
        String mac = NodeLinkFinder.eniMac(connection);
        Links.Link eni = NodeLinkFinder.eni(mac, node);
        SandboxLinkNames name = new SandboxLinkNames(connection.lease().owner());
        return AttachmentRecordBuilder.of(VethKind.NAME, connection)
                .hostLink(name.link(connection.link().vethPrefix()), name.mac(0))
                .podLink(name.mac(1), connection.link().mtu().orElse(eni.mtu()))
                .addresses(AttachmentRecordBuilder.routedAddresses(connection.lease().resource()))
                .eni(mac, node.tables().of(mac))
                .throughNode(ConnectionValidator.throughNode(connection, node, List.of()))
                .build();
    }
}
