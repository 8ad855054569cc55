package io.enipam.engine.gc;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.PodCopy;
import io.enipam.engine.model.Sighting;
import io.enipam.engine.model.StandIn;
import io.enipam.engine.pods.PodStore;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PodRef;
import java.time.Duration;
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
 * When a lease, or a sandbox that is connected without one, is an orphan. The collector, its dry run and {@code explain} ask this
 * one rule. A list of pods, which may be stale, makes suspects of candidates; the decision asks the source of truth, uncached.
 *
 * <p>A pod is gone if it does not exist, has run to its end, is another pod of the same name (by its UID), or is on another node.
 * If the very pod of the lease is on another node by the API server, this node goes by another's name, and nothing may be
 * concluded at all. What is less certain takes ten minutes and, where the kernel can tell, a sandbox that is connected no more:
 *
 * <ul>
 *   <li>A static pod runs by a file, and the API server has a mirror of it, which anybody can delete while the pod runs on: it
 *       is gone once the kernel has no sandbox of its.
 *   <li>A lease without a UID whose pod does not exist may be that of a static pod whose mirror is not made yet.
 *   <li>A lease without a UID whose pod's name belongs to a pod with another address may be that pod's newest sandbox, which the
 *       kubelet has not reported yet: it is an orphan once the kernel has no such sandbox.
 *   <li>A sandbox whose pod's name is not known, where no pod has its address: the API server may not know the address yet.
 * </ul>
 *
 * <p>The ten minutes begin when the candidate is suspected for the first time in this process (one without a name: when it is seen
 * for the first time), and run by the clock that never jumps: neither a date that is set nor a restart makes them shorter. Thread-safe.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/">static pods</a>
 */
final class OrphanRule {
    static final Duration GRACE = Duration.ofMinutes(10);
    private static final Duration ASK = Duration.ofSeconds(10);
    private static final OrphanDecision KEPT = new OrphanDecision.Kept();

    private final TimeSource time;
    private final Scheduler scheduler;
    private final PodDirectory pods;
    private final PodStore copies;
    private final Datapath kernel;
    /** Since when, in nanoseconds of the clock that never jumps. */
    private final Map<OwnerKey, Long> suspected = new ConcurrentHashMap<>();

    OrphanRule(TimeSource time, Scheduler scheduler, PodDirectory pods, PodStore copies, Datapath kernel) {
        this.time = time;
        this.scheduler = scheduler;
        this.pods = pods;
        this.copies = copies;
        this.kernel = kernel;
    }

    /** Those that may be orphans by a list of the node's pods; all others are forgotten. */
    List<Candidate> suspects(List<Candidate> all, Collection<Pod> known) {
        List<Candidate> suspects = among(all, known);
        List<Candidate> unnamed =
                all.stream().filter(candidate -> StandIn.is(candidate.pod())).toList();
        unnamed.forEach(this::suspect);
        Set<OwnerKey> owners = Stream.concat(suspects.stream(), unnamed.stream())
                .map(Candidate::owner)
                .collect(Collectors.toSet());
        suspected.keySet().retainAll(owners);
        return suspects;
    }

    /** The same of one candidate. */
    boolean suspects(Candidate candidate, Collection<Pod> known) {
        return !among(List.of(candidate), known).isEmpty();
    }

    private List<Candidate> among(List<Candidate> all, Collection<Pod> known) {
        Map<PodRef, Pod> byName =
                known.stream().collect(Collectors.toMap(Pod::ref, Function.identity(), (one, other) -> other));
        List<Candidate> suspects = all.stream()
                .filter(candidate -> isSuspect(candidate, Optional.ofNullable(byName.get(candidate.pod())), known))
                .toList();
        suspects.forEach(this::suspect);
        return suspects;
    }

    /** @return since when it is */
    private long suspect(Candidate candidate) {
        return suspected.computeIfAbsent(candidate.owner(), owner -> time.nanoTime());
    }

    private static boolean isSuspect(Candidate candidate, Optional<Pod> pod, Collection<Pod> known) {
        if (StandIn.is(candidate.pod())) {
            return known.stream().noneMatch(other -> shares(candidate, other));
        }
        return pod.isEmpty()
                || pod.get().finished()
                || Pod.areDifferent(candidate.podUid(), pod.get().uid())
                || hasAnotherAddress(candidate, pod.get());
    }

    /** Whether a candidate that the address alone can tell from the pod is not it by the address. */
    private static boolean hasAnotherAddress(Candidate candidate, Pod pod) {
        return (candidate.podUid().isEmpty() || StandIn.is(candidate.owner()))
                && !pod.addresses().isEmpty()
                && !shares(candidate, pod);
    }

    private static boolean shares(Candidate candidate, Pod pod) {
        return pod.addresses().stream().anyMatch(candidate.addresses()::contains);
    }

    /**
     * Decides about a suspect.
     *
     * @param listed the pods of the node, asked for uncached
     * @return fails if the source of truth or the kernel does not answer, or if what they say cannot be true of this node's pod
     */
    CompletionStage<OrphanDecision> decide(Candidate candidate, Supplier<CompletableFuture<List<Pod>>> listed) {
        if (StandIn.is(candidate.pod())) {
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
            Candidate candidate, Supplier<CompletableFuture<List<Pod>>> listed) {
        if (!pods.knowsAll()) {
            return CompletableFuture.completedFuture(KEPT);
        }
        return listed.get()
                .thenApply(known -> known.stream().anyMatch(pod -> shares(candidate, pod))
                        ? KEPT
                        : afterGrace(
                                candidate, "no pod has its address", "the API server may not know the address yet"));
    }

    private CompletionStage<OrphanDecision> named(Candidate candidate) {
        return ask(() -> pods.locate(candidate.pod())).thenCompose(sighting -> {
            if (sighting instanceof Sighting.Elsewhere there) {
                return CompletableFuture.completedFuture(elsewhere(candidate, there));
            }
            return sighting instanceof Sighting.Here here ? here(candidate, here.pod()) : missing(candidate);
        });
    }

    private static OrphanDecision elsewhere(Candidate candidate, Sighting.Elsewhere there) {
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

    private CompletionStage<OrphanDecision> here(Candidate candidate, Pod pod) {
        if (pod.finished()) {
            return orphan("the pod has finished");
        }
        if (Pod.areDifferent(candidate.podUid(), pod.uid())) {
            return orphan("another pod has its name now");
        }
        if (!hasAnotherAddress(candidate, pod)) {
            return CompletableFuture.completedFuture(KEPT);
        }
        return StandIn.is(candidate.owner())
                ? orphan("the pod has another address now")
                : onceDisconnected(
                        candidate,
                        "the pod of its name has another address",
                        "the lease has no UID, and may be of a newer sandbox");
    }

    private CompletionStage<OrphanDecision> missing(Candidate candidate) {
        String gone = "the pod does not exist";
        String uid = candidate.podUid().isEmpty() ? uidSeen(candidate.pod()) : candidate.podUid();
        CompletionStage<OrphanDecision> decision;
        if (uid.isEmpty()) {
            decision = CompletableFuture.completedFuture(afterGrace(
                    candidate, gone, "the lease has no UID, and may be of a static pod without a mirror yet"));
        } else {
            decision = Pod.isStatic(uid)
                    ? onceDisconnected(candidate, gone, "it is a static pod, whose mirror anybody can delete")
                    : orphan(gone);
        }
        return decision.thenApply(made -> {
            if (made instanceof OrphanDecision.Orphan) {
                copies.gone(candidate.pod());
            }
            return made;
        });
    }

    private String uidSeen(PodRef pod) {
        return copies.find(pod).map(PodCopy::pod).map(Pod::uid).orElse("");
    }

    private static CompletionStage<OrphanDecision> orphan(String reason) {
        return CompletableFuture.completedFuture(new OrphanDecision.Orphan(reason));
    }

    /** @param but why the reason alone is not enough */
    private OrphanDecision afterGrace(Candidate candidate, String reason, String but) {
        Duration left = GRACE.minusNanos(time.nanoTime() - suspect(candidate));
        return left.isNegative() || left.isZero()
                ? new OrphanDecision.Orphan(reason)
                : new OrphanDecision.Spared(
                        reason + ", but " + but + ": it has to be so for " + GRACE.toMinutes() + " minutes",
                        Optional.of(time.now().plus(left)));
    }

    /** Between the lease and the connection of a sandbox that is being made there is nothing in the kernel: hence the grace. */
    private CompletionStage<OrphanDecision> onceDisconnected(Candidate candidate, String reason, String but) {
        OrphanDecision decision = afterGrace(candidate, reason, but);
        if (!(decision instanceof OrphanDecision.Orphan)) {
            return CompletableFuture.completedFuture(decision);
        }
        return ask(kernel::attached)
                .thenApply(sandboxes -> sandboxes.stream()
                                .noneMatch(sandbox -> sandbox.owner().equals(candidate.owner())
                                        || !Collections.disjoint(sandbox.addresses(), candidate.addresses()))
                        ? decision
                        : new OrphanDecision.Spared(
                                reason + ", but " + but + ", and its sandbox is connected", Optional.empty()));
    }

    /** Asks with a deadline. */
    <T> CompletableFuture<T> ask(Supplier<CompletionStage<T>> question) {
        return Stages.within(
                Stages.call(question),
                ASK,
                scheduler,
                () -> new IpamException(ErrorCode.DEADLINE_EXCEEDED, "no answer within " + ASK.toSeconds() + "s", ""));
    }
}
