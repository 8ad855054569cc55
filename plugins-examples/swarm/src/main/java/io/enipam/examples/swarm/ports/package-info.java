/** Published ports of services, as swarmkit's allocator has them. In memory, for one thread. */
@NullMarked
package io.enipam.examples.swarm.ports;

import org.jspecify.annotations.NullMarked;
