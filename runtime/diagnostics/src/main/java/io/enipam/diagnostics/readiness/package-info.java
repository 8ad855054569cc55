/**
 * Whether an ADD could be served now: the one result that status, CNI STATUS, the probes, the metrics, doctor and the
 * node's condition share. Reads the engine, the database and the datapath; changes nothing.
 */
@NullMarked
package io.enipam.diagnostics.readiness;

import org.jspecify.annotations.NullMarked;
