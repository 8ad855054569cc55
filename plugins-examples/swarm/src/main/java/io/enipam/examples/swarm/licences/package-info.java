/**
 * An example of a stranger's voter: tasks wait on the swarm's ballot until one of a number of licences is free. Imports the SDK alone, and
 * the plugin's root alone imports it.
 */
@NullMarked
package io.enipam.examples.swarm.licences;

import org.jspecify.annotations.NullMarked;
