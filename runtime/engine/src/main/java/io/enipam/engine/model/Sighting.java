package io.enipam.engine.model;

/** Where the source of truth has a pod of a name. */
public sealed interface Sighting {
    /** On this node, or on none yet. */
    record Here(Pod pod) implements Sighting {}

    /**
     * On another node. Pods do not move: it is another pod than the one of this node, or this node is taken for another.
     *
     * @param node name of that node
     */
    record Elsewhere(Pod pod, String node) implements Sighting {}

    /** There is no such pod, nor one of that name that could have an address of this node. */
    record Nowhere() implements Sighting {}
}
