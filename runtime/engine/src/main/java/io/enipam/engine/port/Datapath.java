package io.enipam.engine.port;

import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What one pod needs in the kernel. Thread-safe. Every operation is idempotent. */
public interface Datapath {
    /**
     * @param span the step of a trace that all of it is part of: it gets one step for each change of the kernel, and is
     *     ended by the caller
     * @return how it is connected; fails if the kernel could not be set up, and what was done is undone before
     */
    CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span);

    default CompletionStage<DatapathResult> setUp(DatapathRequest connection) {
        return setUp(connection, Span.NONE);
    }

    /** Disconnects a pod. A missing namespace or link is success. */
    CompletionStage<Void> tearDown(OwnerKey owner, Span span);

    default CompletionStage<Void> tearDown(OwnerKey owner) {
        return tearDown(owner, Span.NONE);
    }

    /**
     * Brings a pod that is connected in line with its lease and its manifest, without the pod noticing: the limits of
     * bandwidth where they differ, and the UID that the kernel remembers. Costs nothing where nothing differs.
     *
     * @param wishes what the pod's manifest says; where it says nothing of a limit, the caller's stays
     * @return whether a limit was changed; false for one that is not connected
     */
    default CompletionStage<Boolean> adjust(Lease lease, PodNetworkSpec wishes) {
        return CompletableFuture.completedFuture(false);
    }

    /**
     * The sandboxes that are connected now, in no particular order: what the kernel has, not what was asked of it.
     * Whatever the daemon did before it died shows here, also when its database is lost.
     *
     * @return fails if the kernel could not be read whole; a partial list is never given
     */
    CompletionStage<List<Attachment>> attached();

    /**
     * One pod sandbox that the kernel of this node is connected to.
     *
     * @param pod its pod, if the kernel's side of the connection names it
     * @param podUid the pod's UID, or empty text where it is unknown
     * @param addresses what is routed to the sandbox; empty if the connection is half made or half taken down
     */
    public record Attachment(OwnerKey owner, Optional<PodRef> pod, String podUid, Set<InetAddress> addresses) {
        public Attachment {
            addresses = Set.copyOf(addresses);
        }

        /**
         * The sandboxes that have an address, by owner; one without an address is half made or half gone. A kernel may
         * report one sandbox twice, with a connection for each family: both become one.
         */
        public static SortedMap<OwnerKey, Attachment> byOwner(Collection<Attachment> reported) {
            SortedMap<OwnerKey, Attachment> byOwner = new TreeMap<>();
            reported.stream()
                    .filter(sandbox -> !sandbox.addresses().isEmpty())
                    .forEach(sandbox -> byOwner.merge(sandbox.owner(), sandbox, Attachment::and));
            return byOwner;
        }

        private Attachment and(Attachment other) {
            Set<InetAddress> both = new HashSet<>(addresses);
            both.addAll(other.addresses);
            return new Attachment(owner, pod.or(other::pod), podUid.isEmpty() ? other.podUid : podUid, both);
        }
    }
}
