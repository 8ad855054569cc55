package io.enipam.engine.startup;

import io.enipam.engine.model.OwnerKey;
import java.util.Comparator;

/** A claim of a sandbox on an address, as a start and {@code --recover} weigh it. */
public interface LeaseClaim {
    OwnerKey owner();

    /** Whether the API server says that the pod runs. */
    boolean runs();

    /** Whether the kernel connects the sandbox with this very address. */
    boolean attached();

    /** Whether the API server says that the pod has the address. */
    boolean told();

    /**
     * The order of claims, the best first: the running pod's, then the connected sandbox's, then that of the pod which
     * has the address by the API server, then the greatest by the observed state.
     *
     * @param evidence what the database and the cloud say
     */
    static <C extends LeaseClaim> Comparator<C> bestFirst(Comparator<C> evidence) {
        return Comparator.<C, Boolean>comparing(LeaseClaim::runs)
                .thenComparing(LeaseClaim::attached)
                .thenComparing(LeaseClaim::told)
                .thenComparing(evidence)
                .reversed()
                .thenComparing(LeaseClaim::owner);
    }
}
