/**
 * The daemon's way to the kernel: it tells pods that this daemon connects from those that somebody else connects and from those
 * that are simulated, and remembers all of them over its own death. Called by the daemon's start, and by what inspects the kernel.
 */
@NullMarked
package io.enipam.node.kernel;

import org.jspecify.annotations.NullMarked;
