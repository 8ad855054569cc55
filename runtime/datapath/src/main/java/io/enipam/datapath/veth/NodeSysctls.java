package io.enipam.datapath.veth;

import io.enipam.datapath.link.Forwarding;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.sdk.Family;
import java.util.Map;
import java.util.TreeMap;

/**
 * The node's sysctls: it forwards, and does not ask whether an answer would take the way the packet came, since the main table
 * knows nothing of the ENIs. The kernel takes the larger of a link's {@code rp_filter} and that of all.
 */
final class NodeSysctls {
    private static final String IPV4 = "net/ipv4/conf/";
    private static final String IPV6 = "net/ipv6/conf/";

    private NodeSysctls() {}

    /** Those that new links inherit. */
    static void beforeLinks(AttachmentRecord record, LinkContext node) {
        general(record).forEach(node.sysctls()::set);
    }

    /** Those of the pod's and the ENI's links. */
    static void ofLinks(AttachmentRecord record, LinkContext node, String eni) {
        links(record, eni).forEach(node.sysctls()::set);
    }

    /** All of them. */
    static Map<String, String> all(AttachmentRecord record, String eni) {
        Map<String, String> all = new TreeMap<>(general(record));
        all.putAll(links(record, eni));
        return all;
    }

    private static Map<String, String> general(AttachmentRecord record) {
        Map<String, String> wanted = new TreeMap<>(Forwarding.sysctls(record));
        if (record.has(Family.IPV4)) {
            wanted.put(IPV4 + "all/rp_filter", "0");
            wanted.put(IPV4 + "default/rp_filter", "0");
        }
        return wanted;
    }

    private static Map<String, String> links(AttachmentRecord record, String eni) {
        Map<String, String> wanted = new TreeMap<>();
        if (record.has(Family.IPV4)) {
            wanted.put(IPV4 + eni + "/rp_filter", "0");
            wanted.put(IPV4 + record.hostLink() + "/rp_filter", "0");
        }
        if (record.has(Family.IPV6)) {
            wanted.put(IPV6 + eni + "/accept_ra", "0");
            wanted.put(IPV6 + record.hostLink() + "/forwarding", "1");
        }
        return wanted;
    }
}
