package io.enipam.daemon.orders;

import io.enipam.engine.pool.StandingOrder;

/**
 * An order and who gave it.
 *
 * @param by for people; empty text if that is not known
 */
public record GivenOrder(StandingOrder order, String by) {}
