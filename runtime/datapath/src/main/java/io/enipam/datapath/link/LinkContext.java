package io.enipam.datapath.link;

import io.enipam.datapath.NodeNetwork;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Runner;
import io.enipam.datapath.iproute.Sysctls;

/**
 * What kinds of links work with. Thread-safe.
 *
 * @param side what is known of the node
 * @param runner runs iproute2
 * @param links the node's links
 * @param sysctls the node's
 * @param tables the ENIs' routing tables
 */
public record LinkContext(NodeNetwork side, Runner runner, Links links, Sysctls sysctls, RouteTables tables) {}
