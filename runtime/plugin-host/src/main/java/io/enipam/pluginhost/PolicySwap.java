package io.enipam.pluginhost;

/**
 * What became of a swap of policies.
 *
 * @param from the policy that was in force
 * @param to the one that is now
 */
public record PolicySwap(String from, String to) {}
