/**
 * What a call of the CNI front costs, as a process from exec to exit: the front in C beside the one in Java, and beside the least
 * that any process costs, all on one daemon's socket that answers at once.
 */
@NullMarked
package io.enipam.bench.cni;

import org.jspecify.annotations.NullMarked;
