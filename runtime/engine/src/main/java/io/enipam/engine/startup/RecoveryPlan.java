package io.enipam.engine.startup;

import io.enipam.engine.lease.UnmanagedSandboxRegistry.UnmanagedSandbox;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import java.util.List;

/**
 * Who has which address: what has to change in the database so that it says so.
 *
 * @param upheld leases of the database that stay, each the only one of its address
 * @param granted new leases; each takes the place of the one that its owner had
 * @param dropped leases that end, since another owner has their address
 * @param freed leases as they were whose address has no owner any more
 * @param strays sandboxes that are connected with addresses they have no lease for
 */
record RecoveryPlan(
        List<Lease> upheld,
        List<Lease> granted,
        List<Lease> dropped,
        List<Lease> freed,
        List<UnmanagedSandbox> strays,
        List<StartupEvent> findings) {
    /** Whether all agree. */
    boolean changesNothing() {
        return granted.isEmpty() && dropped.isEmpty() && strays.isEmpty();
    }

    /** A finding of the start-up that it reports; an event, but for its time. */
    record StartupEvent(Event.Severity severity, String type, String subject, String message) {}
}
