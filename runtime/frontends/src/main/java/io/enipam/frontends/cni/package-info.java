/**
 * The daemon's side of the CNI: a socket on which the front passes on what a container runtime asks, and the commands that are
 * served there. {@code spec} reads and writes the language of the specification; here it is obeyed. Called by the daemon's start;
 * what GC and STATUS do is done for the shell, too.
 */
@NullMarked
package io.enipam.frontends.cni;

import org.jspecify.annotations.NullMarked;
