package io.enipam.examples.namespacequota;

import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What one namespace has of a node.
 *
 * @param used addresses that its pods have, those that the cloud took from under a pod included
 * @param waiting its pods that wait for one
 */
record NamespaceUse(long used, long waiting) {
    /** Counts the pods that a predicate chooses. */
    static NamespaceUse of(PoolSnapshot pool, Predicate<PodRef> chosen) {
        return new NamespaceUse(
                owners(pool).map(PodView::ref).filter(chosen).count(),
                pool.waiters().stream().map(PodView::ref).filter(chosen).count());
    }

    /** The pods that have an address. One that is kept for a pod that is gone is not in use. */
    static Stream<PodView> owners(PoolSnapshot pool) {
        return pool.resources().stream()
                .filter(view -> view.state() != ResourceState.RESERVED)
                .flatMap(view -> view.owner().stream());
    }

    long total() {
        return used + waiting;
    }
}
