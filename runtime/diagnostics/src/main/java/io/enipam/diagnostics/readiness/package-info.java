/**
 * The list of troubles: what is wrong with this daemon now, by its cause, and whether an ADD could be served. Status, CNI
 * STATUS, the probes, doctor, explain, the listings and the node's condition share it. Reads the engine, the database, the
 * datapath and the ENIs in memory; changes nothing.
 */
@NullMarked
package io.enipam.diagnostics.readiness;

import org.jspecify.annotations.NullMarked;
