package io.enipam.engine.startup;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.SourceComparison;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Asks a factory what it has, until it answers. What should be in the list and is not is looked for once more, a second
 * later, before the start draws conclusions: a list may lag.
 */
final class FactoryLister {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SECOND_LOOK = Duration.ofSeconds(1);

    private final Scheduler scheduler;
    private final EventSink events;
    private final ResourcePool pool;
    private final RetryLoop asking;

    FactoryLister(Scheduler scheduler, EventSink events, ResourcePool pool, RetryLoop asking) {
        this.scheduler = scheduler;
        this.events = events;
        this.pool = pool;
        this.asking = asking;
    }

    /** Lists a factory, twice if what the pool has of its is not in the list. Never fails. */
    CompletableFuture<FactoryListing> of(NamedFactory factory, Consumer<String> say) {
        return once(factory, say).thenCompose(first -> {
            Set<ResourceId> missing = missing(factory, first);
            if (missing.isEmpty()) {
                return CompletableFuture.completedFuture(first);
            }
            say.accept("looking once more for " + missing.size() + " addresses that factory " + factory.name()
                    + " did not list");
            return again(factory, new FactoryListing(first.resources(), first.before(), missing), say);
        });
    }

    /** Lists a factory once more, in a second: what came meanwhile is there, too. */
    CompletableFuture<FactoryListing> again(NamedFactory factory, FactoryListing first, Consumer<String> say) {
        CompletableFuture<Void> pause = new CompletableFuture<>();
        scheduler.after(SECOND_LOOK, () -> pause.complete(null));
        return pause.thenCompose(over -> once(factory, say))
                .thenApply(last -> new FactoryListing(last.resources(), last.before(), first.missed()));
    }

    private CompletableFuture<FactoryListing> once(NamedFactory factory, Consumer<String> say) {
        say.accept("listing the addresses of factory " + factory.name());
        return asking.until(
                () -> {
                    Set<ResourceId> before = pool.ids();
                    return Stages.call(() -> factory.factory().list())
                            .thenApply(listed -> new FactoryListing(introduced(factory, listed), before, Set.of()));
                },
                PATIENCE,
                failure -> {
                    String why =
                            "the addresses of factory " + factory.name() + " could not be listed: " + failure.why();
                    say.accept(why + "; next try in " + failure.pause().toMillis() + " ms");
                    events.warning("CloudUnreachable", factory.name(), why);
                });
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

    /** What is the factory's by the database, and not in its list. */
    private Set<ResourceId> missing(NamedFactory factory, FactoryListing listing) {
        List<Resource> listed =
                listing.resources().stream().filter(Objects::nonNull).toList();
        return SourceComparison.of(pool.membership().madeBy(factory.name()), id -> id, listed, Resource::id)
                .left()
                .stream()
                .filter(listing.before()::contains)
                .collect(Collectors.toSet());
    }

    /**
     * What a factory listed.
     *
     * @param before what the pool had when it was asked
     * @param missed what an earlier list left out
     */
    record FactoryListing(List<Resource> resources, Set<ResourceId> before, Set<ResourceId> missed) {}
}
