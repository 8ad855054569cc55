package io.enipam.diagnostics.doctor.fact;

import io.enipam.kubernetes.node.NodeNetworkInfo;
import java.util.Optional;

/**
 * The node object.
 *
 * @param name by which it was asked for
 * @param word empty if there is no such node
 */
public record NodeFacts(String name, Optional<NodeNetworkInfo> word) {}
