package io.enipam.engine.pool;

/**
 * How many resources a pool keeps.
 *
 * @param minIdle lower watermark: create when fewer are idle, at least 0
 * @param maxIdle upper watermark: release when more are idle, at least {@code minIdle}
 * @param capacity upper bound on all resources together, beside what the factory can do
 */
public record Watermarks(int minIdle, int maxIdle, int capacity) {}
