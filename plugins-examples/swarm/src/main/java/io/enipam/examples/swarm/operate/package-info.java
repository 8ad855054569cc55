/**
 * What an operator sees and does: the commands under the noun {@code swarm}, checks and metrics. Reads the tables, and changes them by the
 * control API of {@code state} alone; of the allocator it has the reasons for which objects wait.
 */
@NullMarked
package io.enipam.examples.swarm.operate;

import org.jspecify.annotations.NullMarked;
