/**
 * Changes in batches, which {@code netlink} makes by one request or iproute2 by one process, and reads by iproute2: each with a deadline,
 * bounded output and an error that has the command that failed and the answer of the kernel. Reads that need no process (links, sysctls)
 * are here too.
 */
@NullMarked
package io.enipam.datapath.iproute;

import org.jspecify.annotations.NullMarked;
