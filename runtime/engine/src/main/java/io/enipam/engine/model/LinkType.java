package io.enipam.engine.model;

/** What kind of link a pod gets that shares an ENI with others. */
public enum LinkType {
    /** A veth pair, and rules that lead what comes from it to the ENI. */
    VETH,
    /** A slave of the ENI itself. */
    IPVLAN
}
