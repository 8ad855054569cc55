package io.enipam.datapath.veth;

/** Numbers of this kind that more than one class needs; terway's. */
final class VethFacts {
    /** Rules that lead what is for a pod to the main table, where its veth is. */
    static final int TO_POD = 512;
    /** Rules that lead what comes from a pod to its ENI's table. */
    static final int FROM_POD = 2048;

    private VethFacts() {}
}
