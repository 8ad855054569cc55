package io.enipam.engine.startup;

import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.ValidatedList;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.startup.FactoryLister.FactoryListing;
import io.enipam.engine.startup.StartupProgress.StartupStep;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/** Asks kernel and API server what there is, and the cloud once more where that does not fit. Thread-safe. */
final class StateCollector {
    static final int PODS_WAIT_SECONDS = 10;
    private static final Duration PODS_TRY = Duration.ofSeconds(70);
    private static final Duration KERNEL_TRY = Duration.ofSeconds(10);

    private final LeaseContext leasing;
    private final StartupProgress progress;

    StateCollector(LeaseContext leasing, StartupProgress progress) {
        this.leasing = leasing;
        this.progress = progress;
    }

    /**
     * What cloud and kernel have said.
     *
     * @param listing what the active factory listed
     * @param sane what of it makes sense
     * @param sandboxes what the kernel is connected to
     */
    record Known(NamedFactory active, FactoryListing listing, ValidatedList sane, List<Attachment> sandboxes) {}

    /** What the kernel is connected to; asked until it answers. */
    CompletableFuture<List<Attachment>> kernel(RetryLoop asking) {
        progress.begin(StartupStep.KERNEL, "");
        return asking.until(() -> leasing.datapath().attached(), KERNEL_TRY, failure -> {
            String why = "the kernel could not be read: " + failure.why();
            progress.update(
                    StartupStep.KERNEL, why + "; next try in " + failure.pause().toMillis() + " ms");
            leasing.events().warning("KernelUnreadable", "kernel", why);
        });
    }

    /** An address that a sandbox has and no list shows is looked for once more. */
    CompletableFuture<Known> complete(
            FactoryLister cloud, NamedFactory active, FactoryListing listed, List<Attachment> sandboxes) {
        Known known = known(active, listed, sandboxes);
        Set<InetAddress> inTheCloud = known.sane().resources().stream()
                .flatMap(resource -> resource.addresses().stream())
                .map(Address::ip)
                .collect(Collectors.toSet());
        boolean unexplained = sandboxes.stream().anyMatch(sandbox -> !explained(inTheCloud, sandbox));
        if (!unexplained) {
            progress.done(StartupStep.KERNEL, sandboxes.size() + " sandboxes");
            return CompletableFuture.completedFuture(known);
        }
        return cloud.again(
                        active,
                        listed,
                        words -> progress.update(StartupStep.KERNEL, "an address is in no list: " + words))
                .thenApply(last -> {
                    progress.done(StartupStep.KERNEL, sandboxes.size() + " sandboxes");
                    return known(active, last, sandboxes);
                });
    }

    private Known known(NamedFactory active, FactoryListing listed, List<Attachment> sandboxes) {
        ValidatedList sane = ValidatedList.of(active, active.factory().kind(), listed.resources(), leasing.events());
        return new Known(active, listed, sane, sandboxes);
    }

    private boolean explained(Set<InetAddress> inTheCloud, Attachment sandbox) {
        return sandbox.addresses().isEmpty()
                || sandbox.addresses().stream().anyMatch(inTheCloud::contains)
                || leasing.book()
                        .find(sandbox.owner())
                        .filter(row -> has(row.resource(), sandbox))
                        .isPresent();
    }

    private static boolean has(Resource resource, Attachment sandbox) {
        return resource.addresses().stream()
                .anyMatch(address -> sandbox.addresses().contains(address.ip()));
    }

    /**
     * The pods that the API server lists.
     *
     * @param agreed whether database and kernel agree without it
     * @param settled whether the database is neither new nor lost; if it is so and they agree, the start waits only briefly for the list,
     *     and the answer may be empty
     */
    CompletableFuture<List<Pod>> pods(RetryLoop asking, boolean agreed, boolean settled) {
        boolean needed = !agreed || !settled;
        AtomicBoolean waiting = new AtomicBoolean(true);
        CompletableFuture<List<Pod>> answer = new CompletableFuture<>();
        asking.asLongAs(waiting::get)
                .until(
                        () -> leasing.pods().list(),
                        PODS_TRY,
                        failure -> progress.update(
                                StartupStep.PODS,
                                failure.why() + "; next try in "
                                        + failure.pause().toMillis() + " ms"
                                        + (needed ? "; " + why(agreed) + ", so the list is needed" : "")))
                .thenAccept(pods -> {
                    if (waiting.getAndSet(false)) {
                        if (leasing.pods().isAuthoritative()) {
                            leasing.copies().listed(pods);
                        }
                        progress.done(StartupStep.PODS, pods.size() + " pods");
                        answer.complete(pods);
                    }
                })
                .exceptionally(error -> {
                    answer.completeExceptionally(error);
                    return null;
                });
        if (!needed && !answer.isDone()) {
            leasing.scheduler().after(Duration.ofSeconds(PODS_WAIT_SECONDS), () -> {
                if (waiting.getAndSet(false)) {
                    String why = "the pods could not be listed within " + PODS_WAIT_SECONDS
                            + " s: database and kernel agree, so the start goes on without";
                    leasing.events().warning("PodsUnlisted", "pods", why);
                    progress.done(StartupStep.PODS, why);
                    answer.complete(List.of());
                }
            });
        }
        return answer;
    }

    private static String why(boolean agreed) {
        return agreed ? "the database is new or lost" : "database and kernel do not agree";
    }
}
