package io.enipam.frontends.cni;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.sdk.PodRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * CNI GC: ends what a network has for sandboxes that the runtime does not list as valid. Goes on after a failure, and
 * reports all of them. Other networks are not touched, nor are sandboxes that terway's plugin has connected: the
 * runtime knows those by that plugin's network and cannot count them among ours. Thread-safe.
 *
 * @param engine whose leases end
 * @param kernel where what has no lease is disconnected
 */
public record StaleAttachmentCleaner(IpamEngine engine, NodeDatapath kernel) {
    /**
     * @param looked how many leases the network had
     * @param ended the leases that ended, or would
     * @param disconnected sandboxes without a lease that were disconnected, or would be
     * @param problems what could not be done, one line each
     */
    public record CleanupReport(int looked, List<Lease> ended, List<OwnerKey> disconnected, List<String> problems) {
        public CleanupReport {
            ended = List.copyOf(ended);
            disconnected = List.copyOf(disconnected);
            problems = List.copyOf(problems);
        }
    }

    /**
     * @param valid whose leases stay, whatever else is wrong with them
     * @param asked when the list of them came, at the latest: a sandbox that is added after that, or right now, cannot
     *     be on it
     * @param dryRun whether nothing is changed
     * @param by the caller's name for the trace of each end
     * @return never fails: what goes wrong is in the report
     */
    public CompletableFuture<CleanupReport> end(
            String network, Predicate<OwnerKey> valid, Instant asked, boolean dryRun, String by) {
        return Stages.call(kernel::connectedByCallers)
                .toCompletableFuture()
                .thenCompose(others ->
                        endAll(network, owner -> others.contains(owner) || valid.test(owner), asked, dryRun, by))
                .exceptionally(error -> new CleanupReport(
                        0,
                        List.of(),
                        List.of(),
                        List.of("nothing was ended, since the sandboxes cannot be read: " + why(error))));
    }

    private CompletableFuture<CleanupReport> endAll(
            String network, Predicate<OwnerKey> valid, Instant asked, boolean dryRun, String by) {
        Set<PodRef> busy = engine.pendingWork().busy();
        List<Lease> all = engine.leases().stream()
                .filter(lease -> lease.owner().network().equals(network))
                .toList();
        List<Lease> stale = all.stream()
                .filter(lease -> !valid.test(lease.owner()))
                .filter(lease -> !lease.since().isAfter(asked) && !busy.contains(lease.pod()))
                .toList();
        List<Lease> ended = Collections.synchronizedList(new ArrayList<>());
        List<OwnerKey> disconnected = Collections.synchronizedList(new ArrayList<>());
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<?>[] ends = stale.stream()
                .map(lease -> dryRun ? done(() -> ended.add(lease)) : end(lease, by, ended, problems))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(ends)
                .thenCompose(done -> Stages.call(kernel::attached))
                .thenCompose(attached -> disconnect(
                        attached.stream()
                                .map(Attachment::owner)
                                .filter(owner -> owner.network().equals(network) && !valid.test(owner))
                                .filter(owner -> engine.lease(owner).isEmpty())
                                .toList(),
                        dryRun,
                        disconnected,
                        problems))
                .exceptionally(error -> {
                    problems.add("the kernel could not be read: " + why(error));
                    return null;
                })
                .thenApply(done -> new CleanupReport(all.size(), ended, disconnected, problems));
    }

    private CompletableFuture<?> end(Lease lease, String by, List<Lease> ended, List<String> problems) {
        return engine.del(lease.owner(), by).handle((outcome, error) -> {
            if (error == null) {
                ended.add(lease);
            } else {
                problems.add("container " + lease.owner().containerId() + " of pod " + lease.pod() + ": " + why(error));
            }
            return outcome;
        });
    }

    private CompletableFuture<?> disconnect(
            List<OwnerKey> owners, boolean dryRun, List<OwnerKey> disconnected, List<String> problems) {
        return CompletableFuture.allOf(owners.stream()
                .map(owner -> dryRun
                        ? done(() -> disconnected.add(owner))
                        : Stages.call(() -> kernel.tearDown(owner)).handle((done, error) -> {
                            if (error == null) {
                                disconnected.add(owner);
                            } else {
                                problems.add("container " + owner.containerId() + ": " + why(error));
                            }
                            return done;
                        }))
                .map(stage -> stage.toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    private static CompletableFuture<?> done(Runnable action) {
        action.run();
        return CompletableFuture.completedFuture(null);
    }

    private static String why(Throwable error) {
        Throwable cause = Stages.cause(error);
        return cause instanceof IpamException refusal && !refusal.hint().isEmpty()
                ? refusal.getMessage() + "; " + refusal.hint()
                : String.valueOf(cause.getMessage());
    }
}
