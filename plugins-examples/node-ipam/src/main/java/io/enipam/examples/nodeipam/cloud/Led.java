package io.enipam.examples.nodeipam.cloud;

import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.ranges.Subnet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The blocks that the cloud leads to nodes on the controller's behalf: no other node gets them before that has ended, and a node may be
 * gone, or another one of its name, before it is reconciled. Of a node that is there they are its own. Thread-safe.
 */
public final class Led {
    private final Blocks blocks;
    private final Map<String, List<Subnet>> byNode = new HashMap<>(); // by this

    public Led(Blocks blocks) {
        this.blocks = blocks;
    }

    /** Nothing is known. */
    synchronized void clear() {
        byNode.clear();
        blocks.releaseAll(Owner.Kind.ROUTES);
    }

    /** What is led to a node by its row, whether it is there or not. */
    synchronized void found(String node, List<Subnet> its) {
        byNode.put(node, its);
        blocks.hold(Owner.routes(node), its);
    }

    /** What is led to a node that is there. */
    synchronized void of(String node, List<Subnet> its) {
        byNode.put(node, its);
        blocks.release(Owner.routes(node));
    }

    /** Nothing is led to a node of the name. */
    synchronized void none(String node) {
        byNode.remove(node);
        blocks.release(Owner.routes(node));
    }

    /** A node is gone, or another one of its name is there. Returns whether it had something. */
    synchronized boolean release(String node) {
        blocks.hold(Owner.routes(node), byNode.getOrDefault(node, List.of()));
        return blocks.release(Owner.node(node));
    }
}
