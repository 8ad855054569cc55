package io.enipam.recovery;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import java.util.Comparator;

/**
 * Somebody's claim on a resource.
 *
 * @param lease as it is written if the claim wins
 * @param salvaged whether the lease was in the database
 * @param certain whether it was certain to be there at the end
 * @param generation the commit that is known to have left it so; 0 if the database has none
 * @param told whether the API server says that the pod has the address
 * @param why why it should be kept
 */
record Claim(
        Lease lease,
        boolean salvaged,
        boolean certain,
        long generation,
        KernelView kernel,
        PodView pod,
        boolean told,
        String why) {
    /**
     * The best comes first: the running pod's, then the connected sandbox's, then that of the pod which has the address by the
     * API server, then what the database is certain of, then the newer commit's. The start-up decides in the same order.
     */
    static final Comparator<Claim> BEST_FIRST = Comparator.comparing((Claim claim) -> claim.pod == PodView.RUNS)
            .thenComparing(claim -> claim.kernel == KernelView.ATTACHED)
            .thenComparing(Claim::told)
            .thenComparing(Claim::certain)
            .thenComparing(Claim::generation)
            .reversed()
            .thenComparing(claim -> claim.lease.owner());

    boolean attached() {
        return kernel == KernelView.ATTACHED;
    }

    String address() {
        return AddressFormat.of(lease.resource());
    }

    String of() {
        return lease.pod() + " (" + lease.owner().containerId() + ")";
    }

    String database() {
        return !salvaged ? "nothing" : certain ? "certain" : "may be stale";
    }
}
