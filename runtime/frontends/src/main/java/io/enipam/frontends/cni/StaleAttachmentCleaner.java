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
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
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
        return each(
                        stale,
                        dryRun,
                        lease -> engine.del(lease.owner(), by),
                        ended,
                        StaleAttachmentCleaner::shown,
                        problems)
                .thenCompose(done -> Stages.call(kernel::attached))
                .thenCompose(attached -> each(
                        attached.stream()
                                .map(Attachment::owner)
                                .filter(owner -> owner.network().equals(network) && !valid.test(owner))
                                .filter(owner -> engine.lease(owner).isEmpty())
                                .toList(),
                        dryRun,
                        kernel::tearDown,
                        disconnected,
                        owner -> "container " + owner.containerId(),
                        problems))
                .exceptionally(error -> {
                    problems.add("the kernel could not be read: " + why(error));
                    return null;
                })
                .thenApply(done -> new CleanupReport(all.size(), ended, disconnected, problems));
    }

    /** Ends each of some things, or in a dry run none, and completes when all are ended or have a line among the problems. */
    private static <T, R> CompletableFuture<Void> each(
            List<T> things,
            boolean dryRun,
            Function<T, ? extends CompletionStage<R>> end,
            List<T> ended,
            Function<T, String> shown,
            List<String> problems) {
        return CompletableFuture.allOf(things.stream()
                .map(thing -> (dryRun ? CompletableFuture.<R>completedStage(null) : Stages.call(() -> end.apply(thing)))
                        .handle((done, error) -> error == null
                                ? ended.add(thing)
                                : problems.add(shown.apply(thing) + ": " + why(error))))
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture<?>[]::new));
    }

    private static String shown(Lease lease) {
        return "container " + lease.owner().containerId() + " of pod " + lease.pod();
    }

    private static String why(Throwable error) {
        Throwable cause = Stages.cause(error);
        return cause instanceof IpamException refusal && !refusal.hint().isEmpty()
                ? refusal.getMessage() + "; " + refusal.hint()
                : String.valueOf(cause.getMessage());
    }
}
