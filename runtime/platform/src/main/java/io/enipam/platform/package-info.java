/**
 * The engine's surroundings: clock, threads, the datapath of simulated pods, and the set-up of logging. These are the
 * production counterparts of the engine's fakes; only the daemon's wiring builds them.
 */
@NullMarked
package io.enipam.platform;

import org.jspecify.annotations.NullMarked;
