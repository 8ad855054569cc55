/**
 * Start-up: from database, cloud, kernel and API server back to a pool that may serve.
 * {@link io.enipam.engine.startup.Startup} is the procedure; {@link io.enipam.engine.startup.LeaseConflictResolver}
 * decides who has which address. {@code IpamEngine} calls it once; it calls the lease package, the pool, the
 * provisioner and the ports.
 */
@NullMarked
package io.enipam.engine.startup;

import org.jspecify.annotations.NullMarked;
