package io.enipam.datapath.veth;

import io.enipam.sdk.Family;

/** Numbers and names of this kind that more than one class needs; terway's, where it has them. */
final class VethFacts {
    /** Rules that lead what is for a pod to the main table, where its veth is. */
    static final int TO_POD = 512;
    /** Rules that lead what comes from a pod to its ENI's table. */
    static final int FROM_POD = 2048;

    private VethFacts() {}

    /** Where a pod's default route leads: an address nobody has, whose hardware address the pod is told. */
    static String gateway(Family family) {
        return family == Family.IPV4 ? "169.254.1.1" : "fe80::1";
    }
}
