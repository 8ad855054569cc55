/**
 * The history of leases: who had which address, from when until when, and why it ended, in files beside the database. It is derived
 * from the commits of the database, whose {@code LeaseEnds} it implements, and costs them nothing. It imports the store's disk and frames
 * and the engine's model and ports; the daemon opens it.
 */
@NullMarked
package io.enipam.store.history;

import org.jspecify.annotations.NullMarked;
