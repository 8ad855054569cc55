package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.Node;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;

/** The link of an ENI. */
final class Eni {
    private Eni() {}

    /**
     * By its hardware address: names and indexes change with a reboot or a detach.
     *
     * @throws IpamException if there is none
     */
    static Links.Link of(String mac, Node node) {
        return node.links()
                .byMac(mac)
                .orElseThrow(() -> new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "no link of this node has the hardware address " + mac + " of the pod's ENI",
                        "see 'ip link' and 'enipam eni list': the ENI is detached, or the node has not seen it yet"));
    }
}
