package io.enipam.engine.startup;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Resource;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/** A claim of a sandbox on an address, as a start and {@code --recover} weigh it. */
public interface LeaseClaim {
    OwnerKey owner();

    Resource resource();

    /** Whether the API server says that the pod runs. */
    boolean runs();

    /** Whether the kernel connects the sandbox with this very address. */
    boolean attached();

    /** Whether the API server says that the pod has the address. */
    boolean told();

    /**
     * Resolves the conflicts of claims: of several to one address, on whatever resource, the best wins, and no address
     * has two holders. The best is the running pod's, then the connected sandbox's, then that of the pod which has the
     * address by the API server, then the greatest by the observed state. Not thread-safe.
     */
    final class Resolver<C extends LeaseClaim> {
        private final Comparator<C> order;
        private final AddressIndex<C> holders = new AddressIndex<>();
        private final Set<C> winners = new LinkedHashSet<>();

        /** @param evidence what the database and the cloud say: the greater claim is the better */
        public Resolver(Comparator<C> evidence) {
            this.order = Comparator.<C, Boolean>comparing(LeaseClaim::runs)
                    .thenComparing(LeaseClaim::attached)
                    .thenComparing(LeaseClaim::told)
                    .thenComparing(evidence)
                    .reversed()
                    .thenComparing(LeaseClaim::owner);
        }

        /** Settles claims, the best first; {@code lost} gets each that finds its address taken, and the claim that has it. */
        public void settle(Collection<C> claims, BiConsumer<C, C> lost) {
            claims.stream()
                    .sorted(order)
                    .forEach(claim -> holder(claim.resource())
                            .ifPresentOrElse(holder -> lost.accept(claim, holder), () -> win(claim)));
        }

        /** Makes a claim the holder of its address, in the place of the one that had it. */
        public void win(C claim) {
            holder(claim.resource()).ifPresent(winners::remove);
            holders.put(claim.resource(), claim);
            winners.add(claim);
        }

        /** The claim that has the resource, or one of its addresses. */
        public Optional<C> holder(Resource resource) {
            return holders.at(resource);
        }

        /** The claims that have won, in the order in which they did. */
        public Collection<C> winners() {
            return Collections.unmodifiableSet(winners);
        }
    }
}
