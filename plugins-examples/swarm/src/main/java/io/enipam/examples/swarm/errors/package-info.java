/** Why something is not done: one exception with a code. Imports the SDK alone; every other package may throw it. */
@NullMarked
package io.enipam.examples.swarm.errors;

import org.jspecify.annotations.NullMarked;
