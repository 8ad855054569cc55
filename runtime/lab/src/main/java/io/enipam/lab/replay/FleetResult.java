package io.enipam.lab.replay;

/**
 * What came of a fleet's replay.
 *
 * @param total of all nodes: waits are those of all their pods, and {@code mostHeld} is the sum of the nodes' own
 * @param nodes how many there were
 * @param worst the number, from 0, of the node with most pods that got no address; of those with the same, the one with the longest p99
 * @param worstNode what came of it alone
 * @param exhausted calls that were refused since a vSwitch had no address left
 */
public record FleetResult(ReplayResult total, int nodes, int worst, ReplayResult worstNode, long exhausted) {}
