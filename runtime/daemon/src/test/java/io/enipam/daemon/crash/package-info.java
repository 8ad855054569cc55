/**
 * A node that dies at every operation on what outlives it: the engine and its real database on a simulated disk, beside a kernel
 * and a cloud of which each call may be the last. What the next process finds has to be right, exhaustively and not by chance.
 */
@NullMarked
package io.enipam.daemon.crash;

import org.jspecify.annotations.NullMarked;
