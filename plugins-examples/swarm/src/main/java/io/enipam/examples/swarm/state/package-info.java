/**
 * The swarm's objects as rows of the plugin's journal, and what users do to them: create, update, remove and list, each a function of a
 * transaction with the checks of swarmkit's control API. Imports {@code model}; the allocator and the commands import it.
 */
@NullMarked
package io.enipam.examples.swarm.state;

import org.jspecify.annotations.NullMarked;
