/**
 * What a swarm consists of: networks, services, tasks and nodes, as immutable records without behaviour. Imports the JDK alone; every other
 * package may import it.
 */
@NullMarked
package io.enipam.examples.swarm.model;

import org.jspecify.annotations.NullMarked;
