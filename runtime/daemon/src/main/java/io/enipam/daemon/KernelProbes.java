package io.enipam.daemon;

import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.diagnostics.doctor.KernelChecks.KernelFaults;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kernel's facts and repairs for the doctor.
 *
 * @param engine no repair runs before it serves: until then leases of connected sandboxes may be missing from the
 *     database
 */
record KernelProbes(NodeDatapath kernel, ResourceDb db, IpamEngine engine) {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(KernelProbes.class);
    private static final int MENDS = 10;
    private static final Duration BETWEEN_MENDS = Duration.ofSeconds(3);

    /** The faults that last. */
    KernelFaults faults() throws Exception {
        Optional<String> unused = unused();
        if (unused.isPresent()) {
            return new KernelFaults(unused, Optional.empty(), List.of());
        }
        Optional<String> netlink = real().netlinkUnusable();
        return new KernelFaults(
                Optional.empty(), netlink, TwoReads.of(this::readFaults, List::isEmpty, TwoReads::common));
    }

    private List<KernelFault> readFaults() throws Exception {
        return real().faults().toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private KernelDatapath real() {
        return kernel.real().orElseThrow();
    }

    /** Why nothing can be compared or repaired. */
    private Optional<String> unused() {
        return kernel.real().isEmpty() ? Optional.of("this daemon connects no pods in the kernel") : kernel.unusable();
    }

    private Optional<String> notServing() {
        EngineStatus.Phase phase = engine.status().phase();
        return phase == EngineStatus.Phase.READY
                ? Optional.empty()
                : Optional.of("the daemon is " + phase + ": which sandboxes have a lease is not known for certain");
    }

    CompletionStage<List<String>> repair(boolean dryRun) {
        Optional<String> unused = unused().or(() -> dryRun ? Optional.empty() : notServing());
        if (unused.isPresent()) {
            return CompletableFuture.completedFuture(List.of(unused.get()));
        }
        if (dryRun) {
            return real().faults().thenApply(faults -> told("would mend ", faults));
        }
        return limited()
                .thenCompose(limits -> real().repair(owners())
                        .thenApply(faults -> Stream.concat(limits.stream(), told("mended ", faults).stream())
                                .toList()));
    }

    /**
     * Restores missing routes and links of pods in the kernel, until nothing is missing: the NIC of a reattached ENI
     * comes up without the routes of its pods, possibly later than the cloud reports. Nothing is removed: the engine
     * may not know all leases yet.
     */
    void repairSoon(Scheduler scheduler) {
        repairSoon(scheduler, MENDS);
    }

    private void repairSoon(Scheduler scheduler, int tries) {
        if (kernel.real().isEmpty()) {
            return;
        }
        unused().<CompletionStage<List<KernelFault>>>map(
                        why -> CompletableFuture.failedStage(new IllegalStateException(why)))
                .orElseGet(() -> real().mend())
                .whenComplete((left, failure) -> {
                    if (failure == null && left.isEmpty()) {
                        LOG.info("the pods of an ENI that was attached again are connected in the kernel as before");
                    } else if (tries > 1) {
                        scheduler.after(BETWEEN_MENDS, () -> repairSoon(scheduler, tries - 1));
                    } else {
                        LOG.warn(
                                "an ENI was attached again, and a pod is not connected in the kernel as before: {}; see"
                                        + " 'doctor'",
                                failure == null ? told(left.get(0)) : String.valueOf(failure.getMessage()));
                    }
                });
    }

    private static String told(KernelFault fault) {
        return fault.owner().map(owner -> owner.containerId() + ": ").orElse("") + fault.what();
    }

    /** Applies each pod's limits from its manifest, as far as this node has seen it. */
    private CompletionStage<List<String>> limited() {
        ResourceDb.Contents contents = db.contents();
        Map<PodRef, Pod> copies = contents.pods().stream()
                .map(PodCopy::pod)
                .collect(Collectors.toMap(Pod::ref, Function.identity(), (one, other) -> other));
        List<String> steps = new ArrayList<>();
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (Lease lease : contents.leases()) {
            Pod pod = copies.get(lease.pod());
            if (pod != null && !pod.uid().isEmpty() && pod.uid().equals(lease.podUid())) {
                all = all.thenCompose(done -> kernel.adjust(lease, pod.wishes()))
                        .handle((changed, error) -> {
                            if (error != null) {
                                steps.add("could not limit the bandwidth of " + lease.pod() + ": "
                                        + Stages.cause(error).getMessage());
                            } else if (changed) {
                                steps.add("limited the bandwidth of " + lease.pod() + " as its manifest asks");
                            }
                            return null;
                        });
            }
        }
        return all.thenApply(done -> steps);
    }

    /** A lease is in the database before its kernel state is set up. */
    private Set<OwnerKey> owners() {
        return db.contents().leases().stream().map(Lease::owner).collect(Collectors.toSet());
    }

    private static List<String> told(String done, List<KernelFault> faults) {
        List<String> steps = faults.stream()
                .filter(KernelFault::mendable)
                .map(fault -> done + told(fault))
                .toList();
        return steps.isEmpty() ? List.of("looked; there was nothing that can be mended") : steps;
    }
}
