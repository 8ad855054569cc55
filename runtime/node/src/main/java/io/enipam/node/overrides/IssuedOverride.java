package io.enipam.node.overrides;

import io.enipam.engine.pool.CapacityOverride;

/**
 * An order and who gave it.
 *
 * @param by for people; empty text if that is not known
 */
public record IssuedOverride(CapacityOverride order, String by) {}
