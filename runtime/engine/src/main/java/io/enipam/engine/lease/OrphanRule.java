package io.enipam.engine.lease;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.UnmanagedSandboxRegistry.UnmanagedSandbox;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.engine.port.PodDirectory.PodLookupResult;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * When a lease, a claim on an allocator, or a sandbox that is connected without a lease is an orphan. The collector, its dry run and
 * {@code explain} ask this one rule. A list of pods, which may be stale, only selects the candidates to check; the
 * decision asks the source of truth, uncached.
 *
 * <p>A pod is gone if it does not exist, has run to its end, is another pod of the same name (by its UID), or is on
 * another node. If the very pod of the lease is on another node by the API server, this node goes by another's name,
 * and nothing may be concluded at all. What is less certain takes ten minutes and, where the kernel knows, a sandbox
 * that is not connected any more:
 *
 * <ul>
 *   <li>A static pod runs by a file, and the API server has a mirror of it, which can be deleted while the pod runs on:
 *       it is gone once the kernel has no sandbox of its.
 *   <li>A lease without a UID whose pod does not exist may be that of a static pod whose mirror is not made yet.
 *   <li>A lease without a UID whose pod's name belongs to a pod with another address may be that pod's newest sandbox,
 *       which the kubelet has not reported yet: it is an orphan once the kernel has no such sandbox.
 *   <li>A sandbox whose pod's name is not known, where no pod has its address: the API server may not know the address
 *       yet.
 * </ul>
 *
 * <p>Of a claim no address is compared, since what an allocator grants need not be in the pod's status, and the kernel is
 * not asked, since another plugin connects its sandbox: so one of a static pod, or whose pod was not named, ends by a
 * DEL, or by the runtime's own collection, alone.
 *
 * <p>The ten minutes begin when the candidate is suspected for the first time in this process (one without a name: when
 * it is seen for the first time), and run by the clock that never jumps: neither a date that is set nor a restart makes
 * them shorter. Thread-safe.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/">static pods</a>
 */
public final class OrphanRule {
    static final Duration GRACE = Duration.ofMinutes(10);
    private static final Duration ASK = Duration.ofSeconds(10);
    private static final OrphanDecision KEPT = new OrphanDecision.Kept();

    private final LeaseContext context;
    /** Since when, in nanoseconds of the clock that never jumps. */
    private final Map<OwnerKey, Long> suspected = new ConcurrentHashMap<>();

    OrphanRule(LeaseContext context) {
        this.context = context;
    }

    /** Those that may be orphans by a list of the node's pods; all others are forgotten. */
    List<OrphanCandidate> suspects(List<OrphanCandidate> all, Collection<Pod> known) {
        List<OrphanCandidate> suspects = among(all, known);
        Stream<OrphanCandidate> unnamed = all.stream().filter(candidate -> PlaceholderPod.is(candidate.pod()));
        Set<OwnerKey> owners = Stream.concat(suspects.stream(), unnamed)
                .map(OrphanCandidate::owner)
                .collect(Collectors.toSet());
        owners.forEach(this::suspect);
        suspected.keySet().retainAll(owners);
        return suspects;
    }

    boolean suspects(OrphanCandidate candidate, Collection<Pod> known) {
        return !among(List.of(candidate), known).isEmpty();
    }

    private List<OrphanCandidate> among(List<OrphanCandidate> all, Collection<Pod> known) {
        Map<PodRef, Pod> byName =
                known.stream().collect(Collectors.toMap(Pod::ref, Function.identity(), (one, other) -> other));
        List<OrphanCandidate> suspects = all.stream()
                .filter(candidate -> isSuspect(candidate, Optional.ofNullable(byName.get(candidate.pod())), known))
                .toList();
        suspects.forEach(candidate -> suspect(candidate.owner()));
        return suspects;
    }

    /** @return since when it is */
    private long suspect(OwnerKey candidate) {
        return suspected.computeIfAbsent(candidate, owner -> context.time().nanoTime());
    }

    private static boolean isSuspect(OrphanCandidate candidate, Optional<Pod> pod, Collection<Pod> known) {
        if (PlaceholderPod.is(candidate.pod())) {
            return known.stream().noneMatch(other -> shares(candidate, other));
        }
        return pod.isEmpty()
                || pod.get().finished()
                || Pod.areDifferent(candidate.podUid(), pod.get().uid())
                || hasAnotherAddress(candidate, pod.get());
    }

    /** Whether the address shows that a candidate is not the pod, where nothing else distinguishes them. */
    private static boolean hasAnotherAddress(OrphanCandidate candidate, Pod pod) {
        return candidate.claim().isEmpty()
                && (candidate.podUid().isEmpty() || PlaceholderPod.is(candidate.owner()))
                && !pod.addresses().isEmpty()
                && !shares(candidate, pod);
    }

    private static boolean shares(OrphanCandidate candidate, Pod pod) {
        return pod.addresses().stream().anyMatch(candidate.addresses()::contains);
    }

    /**
     * Decides about a candidate.
     *
     * @param listed the pods of the node, asked for uncached
     * @return fails if the source of truth or the kernel does not answer, or if what they say cannot be true of this
     *     node's pod
     */
    CompletionStage<OrphanDecision> decide(OrphanCandidate candidate, Supplier<CompletableFuture<List<Pod>>> listed) {
        if (PlaceholderPod.is(candidate.pod())) {
            return unnamed(candidate, listed);
        }
        return named(candidate).thenApply(made -> {
            if (made instanceof OrphanDecision.Kept) {
                suspected.remove(candidate.owner());
            }
            return made;
        });
    }

    private CompletionStage<OrphanDecision> unnamed(
            OrphanCandidate candidate, Supplier<CompletableFuture<List<Pod>>> listed) {
        if (!context.pods().isAuthoritative()) {
            return CompletableFuture.completedFuture(KEPT);
        }
        String but = "the API server may not know the address yet";
        return listed.get()
                .thenApply(known -> known.stream().anyMatch(pod -> shares(candidate, pod))
                        ? KEPT
                        : afterGrace(candidate, "no pod has its address", but));
    }

    private CompletionStage<OrphanDecision> named(OrphanCandidate candidate) {
        return ask(() -> context.pods().locate(candidate.pod())).thenCompose(sighting -> {
            if (sighting instanceof PodLookupResult.OnOtherNode there) {
                return CompletableFuture.completedFuture(elsewhere(candidate, there));
            }
            return sighting instanceof PodLookupResult.OnThisNode here
                    ? here(candidate, here.pod())
                    : missing(candidate);
        });
    }

    private static OrphanDecision elsewhere(OrphanCandidate candidate, PodLookupResult.OnOtherNode there) {
        Pod pod = there.pod();
        boolean another = Pod.areDifferent(candidate.podUid(), pod.uid());
        boolean same = Pod.areComparable(candidate.podUid(), pod.uid()) ? !another : shares(candidate, pod);
        if (same) {
            throw new IpamException(
                    ErrorCode.INTERNAL,
                    "the pod with this lease is on node " + there.node()
                            + " by the API server: this node goes by another's name",
                    "set node.name to the name that this node has in the cluster");
        }
        return another || !pod.addresses().isEmpty()
                ? new OrphanDecision.Orphan("the pod of its name is on node " + there.node() + " now")
                : new OrphanDecision.Spared(
                        "the pod of its name is on node " + there.node()
                                + " and has no address yet, and the lease has no UID: they may be the same",
                        Optional.empty());
    }

    private CompletionStage<OrphanDecision> here(OrphanCandidate candidate, Pod pod) {
        if (pod.finished()) {
            return orphan("the pod has finished");
        }
        if (Pod.areDifferent(candidate.podUid(), pod.uid())) {
            return orphan("another pod has its name now");
        }
        if (!hasAnotherAddress(candidate, pod)) {
            return CompletableFuture.completedFuture(KEPT);
        }
        String but = "the lease has no UID, and may be of a newer sandbox";
        return PlaceholderPod.is(candidate.owner())
                ? orphan("the pod has another address now")
                : onceDisconnected(candidate, "the pod of its name has another address", but);
    }

    private CompletionStage<OrphanDecision> missing(OrphanCandidate candidate) {
        String gone = "the pod does not exist";
        String seen = context.podStore()
                .find(candidate.pod())
                .map(copy -> copy.pod().uid())
                .orElse("");
        String uid = candidate.podUid().isEmpty() ? seen : candidate.podUid();
        CompletionStage<OrphanDecision> decision;
        if (uid.isEmpty()) {
            String but = "the lease has no UID, and may be of a static pod without a mirror yet";
            decision = CompletableFuture.completedFuture(afterGrace(candidate, gone, but));
        } else {
            String mirror = "it is a static pod, whose mirror anybody can delete";
            decision = !Pod.isStatic(uid)
                    ? orphan(gone)
                    : candidate.claim().isPresent()
                            ? CompletableFuture.completedFuture(
                                    new OrphanDecision.Spared(gone + ", but " + mirror, Optional.empty()))
                            : onceDisconnected(candidate, gone, mirror);
        }
        return decision.thenApply(made -> {
            if (made instanceof OrphanDecision.Orphan) {
                context.podStore().gone(candidate.pod());
            }
            return made;
        });
    }

    private static CompletionStage<OrphanDecision> orphan(String reason) {
        return CompletableFuture.completedFuture(new OrphanDecision.Orphan(reason));
    }

    /** @param but why the reason alone is not enough */
    private OrphanDecision afterGrace(OrphanCandidate candidate, String reason, String but) {
        Duration left = GRACE.minusNanos(context.time().nanoTime() - suspect(candidate.owner()));
        return left.isNegative() || left.isZero()
                ? new OrphanDecision.Orphan(reason)
                : new OrphanDecision.Spared(
                        reason + ", but " + but + ": it has to be so for " + GRACE.toMinutes() + " minutes",
                        Optional.of(context.time().now().plus(left)));
    }

    /** Between lease and connection of a sandbox that is being made the kernel has nothing: hence the grace. */
    private CompletionStage<OrphanDecision> onceDisconnected(OrphanCandidate candidate, String reason, String but) {
        OrphanDecision decision = afterGrace(candidate, reason, but);
        if (!(decision instanceof OrphanDecision.Orphan)) {
            return CompletableFuture.completedFuture(decision);
        }
        return ask(context.datapath()::attached)
                .thenApply(sandboxes -> sandboxes.stream()
                                .noneMatch(sandbox -> sandbox.owner().equals(candidate.owner())
                                        || !Collections.disjoint(sandbox.addresses(), candidate.addresses()))
                        ? decision
                        : new OrphanDecision.Spared(
                                reason + ", but " + but + ", and its sandbox is connected", Optional.empty()));
    }

    <T> CompletableFuture<T> ask(Supplier<CompletionStage<T>> question) {
        return Stages.ask(question, ASK, context.scheduler());
    }

    public sealed interface OrphanDecision {
        record Kept() implements OrphanDecision {}

        /**
         * Its pod seems to be gone, which is not enough to end the lease.
         *
         * @param reason what is missing, for an operator
         * @param until when it ends at the earliest, as far as time alone decides
         */
        record Spared(String reason, Optional<Instant> until) implements OrphanDecision {}

        /** Its pod is gone: the next collection ends the lease. */
        record Orphan(String reason) implements OrphanDecision {}
    }

    /**
     * What the collector examines: a lease, a claim on an allocator, or a sandbox that is connected without a lease.
     *
     * @param addresses not of a claim
     */
    record OrphanCandidate(
            OwnerKey owner,
            PodRef pod,
            String podUid,
            Set<InetAddress> addresses,
            Optional<Lease> lease,
            Optional<ServedClaim> claim) {
        static OrphanCandidate of(Lease lease) {
            return new OrphanCandidate(
                    lease.owner(),
                    lease.pod(),
                    lease.podUid(),
                    lease.addresses(),
                    Optional.of(lease),
                    Optional.empty());
        }

        /** Empty for a claim that names no pod. */
        static Optional<OrphanCandidate> of(ServedClaim claim) {
            return claim.owner()
                    .flatMap(owner -> claim.pod()
                            .map(pod -> new OrphanCandidate(
                                    owner, pod, claim.held().uid(), Set.of(), Optional.empty(), Optional.of(claim))));
        }

        static OrphanCandidate of(UnmanagedSandbox stray) {
            return new OrphanCandidate(
                    stray.owner(), stray.pod(), stray.podUid(), stray.addresses(), Optional.empty(), Optional.empty());
        }
    }
}
