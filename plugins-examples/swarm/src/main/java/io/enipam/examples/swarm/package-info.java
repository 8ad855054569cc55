/** The plugin's entry point. */
@NullMarked
package io.enipam.examples.swarm;

import org.jspecify.annotations.NullMarked;
