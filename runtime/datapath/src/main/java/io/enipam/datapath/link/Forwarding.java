package io.enipam.datapath.link;

import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.sdk.Family;
import java.util.Map;
import java.util.TreeMap;

/** The sysctls of a node that forwards what is for its pods and what comes from them. */
public final class Forwarding {
    private Forwarding() {}

    /** Those that a pod needs: path below {@code /proc/sys} to value. */
    public static Map<String, String> sysctls(AttachmentRecord record) {
        Map<String, String> wanted = new TreeMap<>();
        if (record.has(Family.IPV4)) {
            wanted.put("net/ipv4/ip_forward", "1");
        }
        if (record.has(Family.IPV6)) {
            wanted.put("net/ipv6/conf/all/forwarding", "1");
        }
        return wanted;
    }
}
