/**
 * The warm-up of the code that serves pods: it runs ADD and DEL through the shipped front end, engine, database and datapath on ports
 * in memory, so that the first pods after a start meet loaded classes and compiled code. It shares no object with the
 * engine that serves. The daemon's start calls it; a benchmark uses its cloud.
 */
@NullMarked
package io.enipam.daemon.warmup;

import org.jspecify.annotations.NullMarked;
