package io.enipam.engine.startup;

import io.enipam.engine.lease.UnmanagedSandbox;
import io.enipam.engine.model.Lease;
import java.util.List;

/**
 * Who has which address: what has to change in the database so that it says so.
 *
 * @param upheld leases of the database that stay, each the only one of its address
 * @param granted new leases; each takes the place of the one that its owner had
 * @param dropped leases that end, since another owner has their address
 * @param freed leases as they were whose address nobody has any more
 * @param strays sandboxes that are connected with addresses they have no lease for
 * @param findings what people are to be told
 */
record RecoveryPlan(
        List<Lease> upheld,
        List<Lease> granted,
        List<Lease> dropped,
        List<Lease> freed,
        List<UnmanagedSandbox> strays,
        List<StartupEvent> findings) {
    RecoveryPlan {
        upheld = List.copyOf(upheld);
        granted = List.copyOf(granted);
        dropped = List.copyOf(dropped);
        freed = List.copyOf(freed);
        strays = List.copyOf(strays);
        findings = List.copyOf(findings);
    }

    /** Whether all agree. */
    boolean changesNothing() {
        return granted.isEmpty() && dropped.isEmpty() && strays.isEmpty();
    }
}
