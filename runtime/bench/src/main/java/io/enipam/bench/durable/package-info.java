/**
 * What a durable ADD costs: the engine on its database on a real disk, beside the bare force that no writer can beat and the
 * transactional commit of the library that the database's files are made with, all in one run on one disk.
 */
@NullMarked
package io.enipam.bench.durable;

import org.jspecify.annotations.NullMarked;
