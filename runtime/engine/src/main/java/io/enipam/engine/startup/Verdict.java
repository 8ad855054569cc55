package io.enipam.engine.startup;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who has which address: what has to change in the database so that it says so.
 *
 * @param granted new leases; each takes the place of the one that its owner had
 * @param dropped leases that end, since another owner has their address
 * @param freed leases as they were whose address nobody has any more
 * @param strays sandboxes that are connected with addresses they have no lease for, and those of these addresses that are in
 *     no list
 * @param findings what people are to be told
 */
record Verdict(
        List<Lease> granted,
        List<Lease> dropped,
        List<Lease> freed,
        Map<OwnerKey, Set<InetAddress>> strays,
        List<Finding> findings) {
    Verdict {
        granted = List.copyOf(granted);
        dropped = List.copyOf(dropped);
        freed = List.copyOf(freed);
        strays = Map.copyOf(strays);
        findings = List.copyOf(findings);
    }

    /** Whether all agree. */
    boolean changesNothing() {
        return granted.isEmpty() && dropped.isEmpty() && strays.isEmpty();
    }
}
