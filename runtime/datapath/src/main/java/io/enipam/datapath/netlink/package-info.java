/**
 * Changes of the kernel as rtnetlink takes them, and the process that passes them on: the JDK has neither netlink sockets nor a way into a
 * network namespace. The package imports no other of the datapath; {@code iproute} decides which batches go this way.
 */
@NullMarked
package io.enipam.datapath.netlink;

import org.jspecify.annotations.NullMarked;
