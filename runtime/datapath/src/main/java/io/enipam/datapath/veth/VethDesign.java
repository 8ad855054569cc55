package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.link.Words;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.OwnerName;
import io.enipam.engine.model.Connection;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Gateways;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a connection will be, before anything is done. */
final class VethDesign {
    private VethDesign() {}

    static AttachmentRecord of(Connection connection, Node node) {
        Words.check(connection);
        Lease lease = connection.lease();
        String mac = lease.resource().attributes().get(Resource.MAC).toLowerCase(Locale.ROOT);
        Links.Link eni = Eni.of(mac, node);
        OwnerName name = new OwnerName(lease.owner());
        List<String> throughNode = new ArrayList<>(node.side().serviceCidrs());
        throughNode.addAll(connection.link().hostStackCidrs());
        return new AttachmentRecord(
                lease.owner().toString(),
                lease.pod().namespace(),
                lease.pod().name(),
                lease.podUid(),
                VethKind.NAME,
                connection.link().netns(),
                name.link(connection.link().vethPrefix()),
                name.mac(0),
                name.mac(1),
                connection.link().mtu().orElse(eni.mtu()),
                lease.resource().addresses().stream()
                        .map(address -> address(address, lease.resource()))
                        .toList(),
                mac,
                node.tables().of(mac),
                connection.ingress().orElse(0),
                connection.egress().orElse(0),
                Words.cidrs(throughNode),
                Map.of());
    }

    private static AttachmentRecord.PodAddress address(Address address, Resource resource) {
        String gateway = Gateways.of(resource, address.family())
                .orElseThrow(() -> new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        resource.id() + " does not say through which gateway " + address + " leaves its subnet",
                        "the resource's factory has to give the attribute "
                                + (address.ip().getAddress().length == 4 ? Resource.GATEWAY : Gateways.IPV6)));
        return new AttachmentRecord.PodAddress(address.host(), address.prefixLength(), gateway);
    }
}
