/**
 * Networks with their subnets, gateways and VXLANs, and addresses of services, tasks and nodes on them, as swarmkit's allocator has them. In
 * memory, for one thread.
 */
@NullMarked
package io.enipam.examples.swarm.networks;

import org.jspecify.annotations.NullMarked;
