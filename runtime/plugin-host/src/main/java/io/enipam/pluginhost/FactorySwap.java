package io.enipam.pluginhost;

/**
 * What became of a swap of factories.
 *
 * @param from the factory that made resources before
 * @param to the one that makes them now
 * @param leavingResources what the former made and is still there
 * @param leavingLeases how many of those are lent
 */
public record FactorySwap(String from, String to, int leavingResources, int leavingLeases) {}
