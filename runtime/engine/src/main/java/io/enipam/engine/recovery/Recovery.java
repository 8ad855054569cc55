package io.enipam.engine.recovery;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.LeaseBook;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.Provisioner;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.pool.Roster;
import io.enipam.engine.pool.SaneList;
import io.enipam.engine.pool.StaleRows;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Intent;
import io.enipam.engine.port.NamedFactory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.reconcile.LossNotices;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The start-up procedure, in order:
 *
 * <ol>
 *   <li><b>Leases and holds</b> of the database go into book and pool. From here on DEL works, whatever else is down.
 *   <li><b>The active factory is listed</b>, again and again with back-off until it answers. Inspection works meanwhile, ADD
 *       does not.
 *       What the database knows and the list leaves out is looked for once more, before it counts as lost.
 *   <li><b>Both are compared.</b> Listed and known: it is what the database says. Listed and unknown: idle, or, if its disposal
 *       had begun, disposed of once more. Known and not listed: invalid, never lent again; its owner keeps it until DEL.
 *   <li><b>Intentions</b> are settled by that comparison: a create either shows in the list or never happened.
 *   <li><b>Capacity</b> is asked of the factory, and the provisioner starts.
 *   <li><b>Leaving factories</b> are listed in the background, and compared in the same way, each when it answers. Until then
 *       their leases are what the database says, and no intention is settled that may be theirs. What such a factory turns out
 *       to have may put the pool above its bound until it went back.
 * </ol>
 */
public final class Recovery {
    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LAST_RETRY = Duration.ofSeconds(30);
    private static final Duration LIST = Duration.ofSeconds(60);
    private static final Duration SECOND_LOOK = Duration.ofSeconds(1);

    private final TimeSource time;
    private final Scheduler scheduler;
    private final ResourceDb db;
    private final EventSink events;
    private final StaleRows staleRows;
    private final Roster roster;
    private final ResourcePool pool;
    private final Provisioner provisioner;
    private final LeaseBook book;
    private final LossNotices notices;

    public Recovery(
            TimeSource time,
            Scheduler scheduler,
            ResourceDb db,
            EventSink events,
            StaleRows staleRows,
            Roster roster,
            ResourcePool pool,
            Provisioner provisioner,
            LeaseBook book) {
        this.time = time;
        this.scheduler = scheduler;
        this.db = db;
        this.events = events;
        this.staleRows = staleRows;
        this.roster = roster;
        this.pool = pool;
        this.provisioner = provisioner;
        this.book = book;
        this.notices = new LossNotices(events);
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
        NamedFactory active = roster.active();
        List<NamedFactory> leaving = roster.others();
        AtomicInteger silent = new AtomicInteger(leaving.size());
        CompletableFuture<Listing> answer = new CompletableFuture<>();
        lookTwiceForWhatIsMissing(active, step, wanted, answer);
        return answer.thenAccept(listed -> {
            step.accept("comparing " + listed.resources().size() + " addresses of the cloud with the database");
            List<Resource> goOn = compare(contents, active, listed);
            pool.supply()
                    .crew()
                    .activate(
                            active.name(),
                            active.factory().kind(),
                            active.factory().capabilities().capacity());
            provisioner.start();
            // not a moment earlier: a provisioner that has not begun yet would drop them
            resume(goOn);
            Set<String> resumed = new HashSet<>(ids(goOn));
            if (silent.get() == 0) {
                settleIntents(contents, resumed);
            }
            leaving.forEach(factory -> compareLater(contents, factory, wanted, all -> {
                synchronized (resumed) {
                    resumed.addAll(all);
                }
                if (silent.decrementAndGet() == 0) {
                    settleIntents(contents, resumed);
                }
            }));
        });
    }

    private void compareLater(
            ResourceDb.Contents contents, NamedFactory factory, BooleanSupplier wanted, Consumer<Set<String>> resumed) {
        CompletableFuture<Listing> answer = new CompletableFuture<>();
        lookTwiceForWhatIsMissing(factory, words -> {}, wanted, answer);
        answer.thenAccept(listed -> {
            List<Resource> goOn = compare(contents, factory, listed);
            resume(goOn);
            resumed.accept(ids(goOn));
            pool.supply().crew().listed(factory.name());
            provisioner.look();
        });
    }

    /** An intention whose resource nobody lists is over, or never came to be. */
    private void settleIntents(ResourceDb.Contents contents, Set<String> resumed) {
        settle(contents.intents().stream()
                .filter(intent -> !resumed.contains(intent.token()))
                .<Change>map(intent -> new Change.RemoveIntent(intent.token()))
                .toList());
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

    /** A list is worth something only from a factory that says what it is. */
    private static List<Resource> introduced(NamedFactory factory, List<Resource> listed) {
        if (listed == null
                || factory.factory().kind() == null
                || factory.factory().capabilities() == null) {
            throw new IllegalStateException("it answers null to what it has, makes or can do");
        }
        return listed;
    }

    private void lookTwiceForWhatIsMissing(
            NamedFactory factory, Consumer<String> step, BooleanSupplier wanted, CompletableFuture<Listing> answer) {
        CompletableFuture<Listing> first = new CompletableFuture<>();
        listUntilAnswered(factory, FIRST_RETRY, step, wanted, first);
        first.thenAccept(listing -> {
            Set<ResourceId> missing = missing(factory, listing);
            if (missing.isEmpty()) {
                answer.complete(listing);
                return;
            }
            step.accept("looking once more for " + missing.size() + " addresses that factory " + factory.name()
                    + " did not list");
            scheduler.after(SECOND_LOOK, () -> {
                if (wanted.getAsBoolean()) {
                    CompletableFuture<Listing> second = new CompletableFuture<>();
                    listUntilAnswered(factory, FIRST_RETRY, step, wanted, second);
                    second.thenAccept(last -> answer.complete(new Listing(last.resources(), last.before(), missing)));
                }
            });
        });
    }

    /** What is the factory's by the database, and not in its list. */
    private Set<ResourceId> missing(NamedFactory factory, Listing listing) {
        Set<ResourceId> missing = new HashSet<>(pool.supply().madeBy(factory.name()));
        missing.retainAll(listing.before());
        listing.resources().stream().filter(Objects::nonNull).map(Resource::id).forEach(missing::remove);
        return missing;
    }

    private void listUntilAnswered(
            NamedFactory factory,
            Duration pause,
            Consumer<String> step,
            BooleanSupplier wanted,
            CompletableFuture<Listing> answer) {
        Set<ResourceId> before = pool.ids();
        step.accept("listing the addresses of factory " + factory.name());
        Stages.within(
                        Stages.call(() -> factory.factory().list()).thenApply(listed -> introduced(factory, listed)),
                        LIST,
                        scheduler,
                        () -> new IllegalStateException("no answer within " + LIST.toSeconds() + "s"))
                .whenComplete((listed, error) -> {
                    if (!wanted.getAsBoolean()) {
                        return;
                    }
                    if (error == null) {
                        answer.complete(new Listing(listed, before, Set.of()));
                        return;
                    }
                    String why = "the addresses of factory " + factory.name() + " could not be listed: "
                            + Stages.cause(error).getMessage();
                    step.accept(why + "; next try in " + pause.toMillis() + " ms");
                    events.warning("CloudUnreachable", factory.name(), why);
                    Duration doubled = pause.multipliedBy(2);
                    Duration next = doubled.compareTo(LAST_RETRY) < 0 ? doubled : LAST_RETRY;
                    scheduler.after(pause, () -> {
                        if (wanted.getAsBoolean()) {
                            listUntilAnswered(factory, next, step, wanted, answer);
                        }
                    });
                });
    }

    /**
     * What a factory listed.
     *
     * @param before what the pool had when it was asked
     * @param missed what an earlier list left out
     */
    private record Listing(List<Resource> resources, Set<ResourceId> before, Set<ResourceId> missed) {}

    /** @return what was about to go back and is still there */
    private List<Resource> compare(ResourceDb.Contents contents, NamedFactory factory, Listing listed) {
        Set<String> disposing = contents.intents().stream()
                .filter(intent -> intent.action() == Intent.Action.DISPOSE)
                .map(Intent::token)
                .collect(Collectors.toSet());
        // a list may be as old as the question: what came or went since is for the pool to say
        Set<ResourceId> known = listed.before();
        Set<ResourceId> there = pool.ids();
        Set<ResourceId> seen = new HashSet<>();
        List<Resource> goOn = new ArrayList<>();
        int idle = 0;
        SaneList sane = SaneList.of(factory, factory.factory().kind(), listed.resources(), events);
        for (Resource made : sane.resources()) {
            seen.add(made.id());
            if (known.contains(made.id()) || there.contains(made.id())) {
                continue;
            }
            Optional<Resource> rival = pool.supply().rival(made);
            if (rival.isPresent()) {
                SaneList.clash(events, factory.name(), made, rival.get());
            } else if (disposing.contains(made.id().value())) {
                pool.supply().adoptDisposing(made);
                goOn.add(made);
            } else {
                pool.supply().adopt(made, Optional.empty());
                idle++;
            }
        }
        List<ResourceId> lost = pool.supply().madeBy(factory.name()).stream()
                .filter(id -> sane.flawless() && listed.missed().contains(id))
                .filter(id -> known.contains(id) && !seen.contains(id))
                .toList();
        lost.forEach(this::lose);
        settle(lost.stream().<Change>map(Change.RemoveHold::new).toList());
        events.publish(
                Event.Severity.INFO,
                "Recovered",
                factory.name(),
                "recovered " + contents.leases().size() + " leases and "
                        + contents.holds().size() + " holds; " + idle + " idle addresses found, " + lost.size()
                        + " lost, " + goOn.size() + " disposals taken up again",
                Map.of("factory", factory.name()));
        return goOn;
    }

    /** Takes disposals up again that pool and database know of. */
    private void resume(List<Resource> goOn) {
        scheduler.execute(() -> goOn.forEach(provisioner::resumeDisposal));
    }

    private static Set<String> ids(List<Resource> resources) {
        return resources.stream().map(resource -> resource.id().value()).collect(Collectors.toSet());
    }

    private void lose(ResourceId id) {
        pool.supply().invalidate(id).ifPresent(notices::lost);
    }

    private void settle(List<Change> removals) {
        if (!removals.isEmpty()) {
            staleRows.remove(removals);
        }
    }
}
