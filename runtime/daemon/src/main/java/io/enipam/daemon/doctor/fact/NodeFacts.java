package io.enipam.daemon.doctor.fact;

import io.enipam.kubernetes.node.NodeWord;
import java.util.Optional;

/**
 * The node object.
 *
 * @param name by which it was asked for
 * @param word empty if there is no such node
 */
public record NodeFacts(String name, Optional<NodeWord> word) {}
