package io.enipam.engine.model;

/** Where the source of truth has a pod of a name. */
public sealed interface PodLookupResult {
    /** On this node, or on none yet. */
    record OnThisNode(Pod pod) implements PodLookupResult {}

    /**
     * On another node. Pods do not move: it is another pod than the one of this node, or this node is taken for another.
     *
     * @param node name of that node
     */
    record OnOtherNode(Pod pod, String node) implements PodLookupResult {}

    /** There is no such pod, nor one of that name that could have an address of this node. */
    record NotFound() implements PodLookupResult {}
}
