/**
 * The event loop of the allocator: a controller that keeps in memory what the tables say is allocated, and allocates what is not. Imports
 * {@code model}, {@code state}, {@code networks} and {@code ports}; only the plugin's root and {@code operate} import it.
 */
@NullMarked
package io.enipam.examples.swarm.allocate;

import org.jspecify.annotations.NullMarked;
