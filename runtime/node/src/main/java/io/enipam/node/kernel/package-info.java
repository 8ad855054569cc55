/**
 * The daemon's access to the kernel: it separates pods that this daemon connects from those that their callers connect
 * and from simulated ones, and remembers all of them across restarts. The daemon's start-up and the inspection of the
 * kernel call it.
 */
@NullMarked
package io.enipam.node.kernel;

import org.jspecify.annotations.NullMarked;
