/**
 * What happens to the swarm's objects, as the tables tell it: the latest events in memory, and their readers. Imports {@code model} and
 * {@code state}; {@code operate} shows them.
 */
@NullMarked
package io.enipam.examples.swarm.events;

import org.jspecify.annotations.NullMarked;
