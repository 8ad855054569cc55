/**
 * What one pod needs in the kernel of its node: links, addresses, neighbours, routes, rules and queueing disciplines, made and
 * taken back by iproute2. It stands on the engine's ports and knows none of its neighbours; the daemon opens it.
 */
@NullMarked
package io.enipam.datapath;

import org.jspecify.annotations.NullMarked;
