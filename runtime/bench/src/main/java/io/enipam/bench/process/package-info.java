/**
 * What a process costs from exec to exit or to its first answer: a call of the CNI plugin, a command of the shell with and without
 * its class-data archive, the start of the daemon after {@code kill -9}. Each is measured beside the least that any such program
 * has to do.
 */
@NullMarked
package io.enipam.bench.process;

import org.jspecify.annotations.NullMarked;
