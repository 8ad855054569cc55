package io.enipam.examples.swarm.model;

import java.util.List;

/**
 * A node of the swarm.
 *
 * @param attachments of its load balancers, one for each network: what is allocated
 */
public record Node(String id, String name, List<Attachment> attachments) {
    public Node {
        attachments = List.copyOf(attachments);
    }

    public static Node of(String id, String name) {
        return new Node(id, name, List.of());
    }

    public Node with(List<Attachment> allocated) {
        return new Node(id, name, allocated);
    }
}
