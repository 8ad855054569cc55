/**
 * The world outside as the daemon lends it to the engine: clock, threads, the datapath of simulated pods, and the set-up
 * of logging. These are the production counterparts of the engine's fakes; the daemon's wiring alone builds them.
 */
@NullMarked
package io.enipam.platform;

import org.jspecify.annotations.NullMarked;
