/**
 * What one pod needs in the kernel of its node: links, addresses, neighbours, routes, rules and queueing disciplines,
 * made and taken back by netlink or iproute2. It implements the engine's ports and imports no other module; the daemon opens it.
 */
@NullMarked
package io.enipam.datapath;

import org.jspecify.annotations.NullMarked;
