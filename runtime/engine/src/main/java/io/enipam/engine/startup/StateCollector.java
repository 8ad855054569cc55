package io.enipam.engine.startup;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.LeaseContext;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.SourceComparison;
import io.enipam.engine.pool.ValidatedList;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.startup.StartupProgress.StartupStep;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Asks factories, kernel and API server what there is, until they answer. What should be in a factory's list and is not
 * is looked for once more, a second later, before the start draws conclusions: a list may lag. Thread-safe.
 */
record StateCollector(LeaseContext context, StartupProgress progress, RetryLoop asking) {
    static final int PODS_WAIT_SECONDS = 10;
    private static final Duration LIST_TRY = Duration.ofSeconds(60);
    private static final Duration SECOND_LOOK = Duration.ofSeconds(1);
    private static final Duration PODS_TRY = Duration.ofSeconds(70);
    private static final Duration KERNEL_TRY = Duration.ofSeconds(10);

    /**
     * @param before what the pool had when it was asked
     * @param missed what an earlier list left out
     */
    record FactoryListing(
            NamedFactory factory, List<Resource> resources, Set<ResourceId> before, Set<ResourceId> missed) {}

    /** @param sane what of it makes sense */
    record Known(FactoryListing listing, ValidatedList sane, List<Attachment> sandboxes) {}

    /** Lists a factory, twice if what the pool has of its is not in the list. Never fails. */
    CompletableFuture<FactoryListing> list(NamedFactory factory, Consumer<String> say) {
        return listOnce(factory, Set.of(), say).thenCompose(first -> {
            List<Resource> listed =
                    first.resources().stream().filter(Objects::nonNull).toList();
            Set<Resource> has = context.pool().membership().madeBy(factory.name());
            Set<ResourceId> missing = SourceComparison.of(has, Resource::id, listed, Resource::id).left().stream()
                    .map(Resource::id)
                    .filter(first.before()::contains)
                    .collect(Collectors.toSet());
            if (missing.isEmpty()) {
                return CompletableFuture.completedFuture(first);
            }
            say.accept("looking once more for " + missing.size() + " addresses that factory " + factory.name()
                    + " did not list");
            return listAgain(factory, missing, say);
        });
    }

    /** Lists a factory once more, in a second: what came meanwhile is there, too. */
    private CompletableFuture<FactoryListing> listAgain(
            NamedFactory factory, Set<ResourceId> missed, Consumer<String> say) {
        return Stages.pause(SECOND_LOOK, context.scheduler()).thenCompose(over -> listOnce(factory, missed, say));
    }

    private CompletableFuture<FactoryListing> listOnce(
            NamedFactory factory, Set<ResourceId> missed, Consumer<String> say) {
        say.accept("listing the addresses of factory " + factory.name());
        return asking.until(() -> listNow(factory, missed), LIST_TRY, failure -> {
            String why = "the addresses of factory " + factory.name() + " could not be listed: " + failure.why();
            say.accept(why + failure.nextTry());
            context.events().warning("CloudUnreachable", factory.name(), why);
        });
    }

    private CompletionStage<FactoryListing> listNow(NamedFactory factory, Set<ResourceId> missed) {
        Set<ResourceId> before = context.pool().idsOf(factory.name());
        return Stages.call(() -> factory.factory().list()).thenApply(listed -> {
            // a list is worth something only from a factory that says what it is
            if (listed == null
                    || factory.factory().kind() == null
                    || factory.factory().capabilities() == null) {
                throw new IllegalStateException("it answers null to what it has, makes or can do");
            }
            return new FactoryListing(factory, listed, before, missed);
        });
    }

    /** What of a list makes sense; reports the rest. */
    ValidatedList valid(FactoryListing listing) {
        NamedFactory factory = listing.factory();
        return ValidatedList.of(factory, factory.factory().kind(), listing.resources(), context.events());
    }

    /** What the kernel is connected to. */
    CompletableFuture<List<Attachment>> kernel() {
        progress.begin(StartupStep.KERNEL);
        return asking.until(() -> context.datapath().attached(), KERNEL_TRY, failure -> {
            String why = "the kernel could not be read: " + failure.why();
            progress.update(StartupStep.KERNEL, why + failure.nextTry());
            context.events().warning("KernelUnreadable", "kernel", why);
        });
    }

    /** An address that a sandbox has and no list shows is looked for once more. */
    CompletableFuture<Known> complete(FactoryListing listed, List<Attachment> sandboxes) {
        Known known = new Known(listed, valid(listed), sandboxes);
        Set<InetAddress> inTheCloud = known.sane().resources().stream()
                .flatMap(resource -> resource.addresses().stream())
                .map(Address::ip)
                .collect(Collectors.toSet());
        CompletableFuture<Known> complete = sandboxes.stream().allMatch(sandbox -> isExplained(inTheCloud, sandbox))
                ? CompletableFuture.completedFuture(known)
                : listAgain(
                                listed.factory(),
                                listed.missed(),
                                what -> progress.update(StartupStep.KERNEL, "an address is in no list: " + what))
                        .thenApply(last -> new Known(last, valid(last), sandboxes));
        return complete.thenApply(all -> {
            progress.done(StartupStep.KERNEL, sandboxes.size() + " sandboxes");
            return all;
        });
    }

    private boolean isExplained(Set<InetAddress> inTheCloud, Attachment sandbox) {
        return sandbox.addresses().isEmpty()
                || sandbox.addresses().stream().anyMatch(inTheCloud::contains)
                || context.leases().find(sandbox.owner()).stream()
                        .anyMatch(row -> !Collections.disjoint(row.addresses(), sandbox.addresses()));
    }

    /**
     * The pods that the API server lists.
     *
     * @param agreed whether database and kernel agree without it; asked while the list is awaited, since ten thousand leases are
     *     compared in as much time
     * @param settled whether the database is neither new nor lost; if it is so and they agree, the start waits only
     *     briefly for the list, and the answer may be empty
     */
    CompletableFuture<List<Pod>> pods(BooleanSupplier agreed, boolean settled) {
        progress.begin(StartupStep.PODS);
        AtomicBoolean waiting = new AtomicBoolean(true);
        CompletableFuture<List<Pod>> answer = new CompletableFuture<>();
        asking.asLongAs(waiting::get)
                .until(
                        () -> context.pods().list(),
                        PODS_TRY,
                        failure -> progress.update(
                                StartupStep.PODS, failure.why() + failure.nextTry() + need(agreed, settled)))
                .thenAccept(pods -> {
                    if (waiting.getAndSet(false)) {
                        if (context.pods().isAuthoritative()) {
                            context.podStore().listed(pods);
                        }
                        progress.done(StartupStep.PODS, pods.size() + " pods");
                        answer.complete(pods);
                    }
                })
                .exceptionally(error -> {
                    answer.completeExceptionally(error);
                    return null;
                });
        if (!answer.isDone() && need(agreed, settled).isEmpty()) {
            context.scheduler().after(Duration.ofSeconds(PODS_WAIT_SECONDS), () -> {
                if (waiting.getAndSet(false)) {
                    String late = "the pods could not be listed within " + PODS_WAIT_SECONDS
                            + " s: database and kernel agree, so the start goes on without";
                    context.events().warning("PodsUnlisted", "pods", late);
                    progress.done(StartupStep.PODS, late);
                    answer.complete(List.of());
                }
            });
        }
        return answer;
    }

    /** Why the list has to be waited for, to be appended to a message; empty if it has not. */
    private static String need(BooleanSupplier agreed, boolean settled) {
        if (!agreed.getAsBoolean()) {
            return "; database and kernel do not agree, so the list is needed";
        }
        return settled ? "" : "; the database is new or lost, so the list is needed";
    }
}
