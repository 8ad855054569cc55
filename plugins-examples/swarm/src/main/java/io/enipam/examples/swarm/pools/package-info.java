/**
 * What is given out in turn: subnets of an address space, addresses of a subnet, and numbers. In memory, without any policy of networks,
 * services or tasks.
 */
@NullMarked
package io.enipam.examples.swarm.pools;

import org.jspecify.annotations.NullMarked;
