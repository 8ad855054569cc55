package io.enipam.recovery;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.startup.LeaseClaim;
import io.enipam.recovery.SourceIndex.KernelState;
import io.enipam.recovery.SourceIndex.PodState;
import io.enipam.sdk.Resource;
import java.util.Comparator;

/**
 * A pod's claim on a resource.
 *
 * @param lease as it is written if the claim wins
 * @param salvaged whether the lease was in the database
 * @param certain whether it was certain to be there at the end
 * @param generation the commit that is known to have left it so; 0 if the database has none
 * @param told whether the API server reports that the pod has the address
 */
record Claim(
        Lease lease,
        boolean salvaged,
        boolean certain,
        long generation,
        KernelState kernel,
        PodState pod,
        boolean told,
        String why)
        implements LeaseClaim {
    /** Between claims that no source decides: what the database is certain of, then the newer commit's. */
    static final Comparator<Claim> EVIDENCE =
            Comparator.comparing(Claim::certain).thenComparing(Claim::generation);

    @Override
    public OwnerKey owner() {
        return lease.owner();
    }

    @Override
    public Resource resource() {
        return lease.resource();
    }

    @Override
    public boolean runs() {
        return pod == PodState.RUNS;
    }

    @Override
    public boolean attached() {
        return kernel == KernelState.ATTACHED;
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
