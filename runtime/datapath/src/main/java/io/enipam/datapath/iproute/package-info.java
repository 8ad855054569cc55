/**
 * Running iproute2: commands in batches, many commands a process, each with a deadline, bounded output and an error that has the
 * command that failed and the answer of the kernel. Reads that need no process (links, sysctls) are here too.
 */
@NullMarked
package io.enipam.datapath.iproute;

import org.jspecify.annotations.NullMarked;
