/**
 * What an operator sees and does: commands, the map of the ranges, plans, checks and metrics. Reads what the other packages keep; the one
 * command that changes something is the release of a node's blocks.
 */
@NullMarked
package io.enipam.examples.nodeipam.operate;

import org.jspecify.annotations.NullMarked;
