package io.enipam.datapath.link;

/** The priorities of the rules that are made for pods; terway's. */
public final class RulePriorities {
    /** Those that lead what is for a pod to the main table, where its link is. */
    public static final int TO_POD = 512;
    /** Those that lead what comes from a pod to its ENI's table. */
    public static final int FROM_POD = 2048;

    private RulePriorities() {}
}
