package io.enipam.engine.pool;

import io.enipam.sdk.Resource;
import java.util.List;

/**
 * What the pool wants of its factory now, booked already.
 *
 * @param maker the factory that creates
 * @param creates how many to create
 * @param disposals what to dispose of
 * @param unmet whether it would create more, were creates not backing off
 */
record ProvisioningPlan(String maker, int creates, List<Resource> disposals, boolean unmet) {}
