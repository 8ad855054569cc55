package io.enipam.engine.recovery;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.LeaseBook;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.Provisioner;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.pool.StaleRows;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Intent;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The start-up procedure, in order:
 *
 * <ol>
 *   <li><b>Leases and holds</b> of the database go into book and pool. From here on DEL works, whatever else is down.
 *   <li><b>The cloud is listed</b>, again and again with back-off until it answers. Inspection works meanwhile, ADD does not.
 *   <li><b>Both are compared.</b> Listed and known: it is what the database says. Listed and unknown: idle, or, if its disposal
 *       had begun, disposed of once more. Known and not listed: invalid, never lent again; its owner keeps it until DEL.
 *   <li><b>Intentions</b> are settled by that comparison: a create either shows in the list or never happened.
 *   <li><b>Capacity</b> is asked of the factory, and the provisioner starts.
 * </ol>
 */
public final class Recovery {
    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LAST_RETRY = Duration.ofSeconds(30);
    private static final Duration LIST = Duration.ofSeconds(60);

    private final TimeSource time;
    private final Scheduler scheduler;
    private final ResourceDb db;
    private final EventSink events;
    private final StaleRows staleRows;
    private final ResourceFactory factory;
    private final ResourcePool pool;
    private final Provisioner provisioner;
    private final LeaseBook book;
    private final int maxCapacity;

    /** @param maxCapacity upper bound on the pool beside what the factory can do */
    public Recovery(
            TimeSource time,
            Scheduler scheduler,
            ResourceDb db,
            EventSink events,
            StaleRows staleRows,
            ResourceFactory factory,
            ResourcePool pool,
            Provisioner provisioner,
            LeaseBook book,
            int maxCapacity) {
        this.time = time;
        this.scheduler = scheduler;
        this.db = db;
        this.events = events;
        this.staleRows = staleRows;
        this.factory = factory;
        this.pool = pool;
        this.provisioner = provisioner;
        this.book = book;
        this.maxCapacity = maxCapacity;
    }

    /** Step 1. Blocks on nothing but the database's memory. */
    public ResourceDb.Contents restore() {
        ResourceDb.Contents contents = db.contents();
        restore(contents);
        return contents;
    }

    /**
     * Steps 2 to 5.
     *
     * @param contents what {@link #restore()} found
     * @param step told where it stands, in words
     * @param wanted false once the daemon stops: then no further try is made, and the future never completes
     */
    public CompletableFuture<Void> reconcile(
            ResourceDb.Contents contents, Consumer<String> step, BooleanSupplier wanted) {
        CompletableFuture<List<Resource>> answer = new CompletableFuture<>();
        listUntilAnswered(FIRST_RETRY, step, wanted, answer);
        return answer.thenAccept(listed -> {
            step.accept("comparing " + listed.size() + " addresses of the cloud with the database");
            compare(contents, listed);
            pool.supply().capacity(Math.min(maxCapacity, factory.capabilities().capacity()));
            provisioner.start(pool);
        });
    }

    private void restore(ResourceDb.Contents contents) {
        Map<ResourceId, Lease> lent = new HashMap<>();
        List<Lease> newestFirst = contents.leases().stream()
                .sorted(Comparator.comparing(Lease::since).reversed())
                .toList();
        List<Change> dropped = new ArrayList<>();
        for (Lease lease : newestFirst) {
            Lease newer = lent.putIfAbsent(lease.resource().id(), lease);
            if (newer == null) {
                book.put(lease);
                pool.supply().adoptLent(lease.resource(), lease.owner(), lease.pod());
            } else {
                dropped.add(new Change.RemoveLease(lease.owner()));
                events.error(
                        "LeaseConflict",
                        lease.pod().toString(),
                        "address " + lease.resource().id() + " has a newer lease of pod " + newer.pod()
                                + ": the older one is dropped");
            }
        }
        for (Hold hold : contents.holds()) {
            if (!lent.containsKey(hold.resource().id()) && hold.until().isAfter(time.now())) {
                pool.supply().adopt(hold.resource(), Optional.of(hold));
            } else {
                dropped.add(new Change.RemoveHold(hold.resource().id()));
            }
        }
        settle(dropped);
    }

    private void listUntilAnswered(
            Duration pause, Consumer<String> step, BooleanSupplier wanted, CompletableFuture<List<Resource>> answer) {
        step.accept("listing the cloud's addresses");
        Stages.within(
                        Stages.call(factory::list),
                        LIST,
                        scheduler,
                        () -> new IllegalStateException("no answer within " + LIST.toSeconds() + "s"))
                .whenComplete((listed, error) -> {
                    if (!wanted.getAsBoolean()) {
                        return;
                    }
                    if (error == null) {
                        answer.complete(listed);
                        return;
                    }
                    String why = "the cloud's addresses could not be listed: "
                            + Stages.cause(error).getMessage();
                    step.accept(why + "; next try in " + pause.toMillis() + " ms");
                    events.warning("CloudUnreachable", "engine", why);
                    Duration doubled = pause.multipliedBy(2);
                    Duration next = doubled.compareTo(LAST_RETRY) < 0 ? doubled : LAST_RETRY;
                    scheduler.after(pause, () -> {
                        if (wanted.getAsBoolean()) {
                            listUntilAnswered(next, step, wanted, answer);
                        }
                    });
                });
    }

    private void compare(ResourceDb.Contents contents, List<Resource> listed) {
        Set<String> disposing = contents.intents().stream()
                .filter(intent -> intent.action() == Intent.Action.DISPOSE)
                .map(Intent::token)
                .collect(Collectors.toSet());
        Set<ResourceId> known = pool.ids();
        Set<ResourceId> seen = new HashSet<>();
        List<Resource> goOn = new ArrayList<>();
        int idle = 0;
        for (Resource resource : listed) {
            if (!seen.add(resource.id()) || known.contains(resource.id())) {
                continue;
            }
            if (disposing.contains(resource.id().value())) {
                pool.supply().adoptDisposing(resource);
                goOn.add(resource);
            } else {
                pool.supply().adopt(resource, Optional.empty());
                idle++;
            }
        }
        List<ResourceId> lost = known.stream().filter(id -> !seen.contains(id)).toList();
        lost.forEach(this::lose);
        settle(lost.stream().<Change>map(Change.RemoveHold::new).toList());
        settle(contents.intents().stream()
                .filter(intent -> goOn.stream().noneMatch(r -> r.id().value().equals(intent.token())))
                .<Change>map(intent -> new Change.RemoveIntent(intent.token()))
                .toList());
        events.publish(
                Event.Severity.INFO,
                "Recovered",
                "engine",
                "recovered " + contents.leases().size() + " leases and "
                        + contents.holds().size() + " holds; " + idle + " idle addresses found, " + lost.size()
                        + " lost, " + goOn.size() + " disposals taken up again",
                Map.of());
        // their disposal starts with the provisioner; pool and database know of it by now
        scheduler.execute(() -> goOn.forEach(provisioner::resumeDisposal));
    }

    private void lose(ResourceId id) {
        pool.supply()
                .invalidate(id)
                .ifPresent(owner -> events.error(
                        "ResourceInvalid",
                        owner.toString(),
                        "address " + id + " is lent, but the cloud no longer has it: the pod has no network"));
    }

    private void settle(List<Change> removals) {
        if (!removals.isEmpty()) {
            staleRows.remove(removals);
        }
    }
}
