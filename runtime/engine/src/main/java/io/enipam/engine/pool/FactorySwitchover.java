package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Makes another factory the active one, so that callers notice nothing. In order:
 *
 * <ol>
 *   <li>The next factory <b>comes</b>: it is listed, and what it has already is taken into the pool.
 *   <li>It <b>proves itself</b>: it makes enough for the lower watermark and the waiting callers, one at least. Lending
 *       goes on meanwhile, from both.
 *   <li>It <b>takes over</b>, and the former factory leaves ({@link PoolFactories#leave}).
 * </ol>
 *
 * <p>If it cannot be listed or makes nothing, or the swap is cancelled before it takes over, it leaves again, and the active one has
 * never been anything else. Two
 * factories of one provider have the same resources: what one made is the other's at once, and nothing drains.
 *
 * <p>Thread-safe. {@code this} guards the coming factory.
 */
public final class FactorySwitchover {
    private static final Duration LIST = Duration.ofSeconds(30);
    private static final String SWAP_AGAIN = "the former factory stays the active one; mend the cause, and swap again";

    private final Scheduler scheduler;
    private final EventSink events;
    private final FactoryRegistry registry;
    private final PoolFactories poolFactories;
    private final ResourcePool pool;
    private final PoolMembership membership;
    private final Provisioner provisioner;
    private final Consumer<String> drained;
    private String incoming = "";
    /** Whether the coming factory proves itself: what completes this first decides the swap. */
    private CompletableFuture<Able> proof =
            CompletableFuture.failedFuture(new IllegalStateException("no factory has come"));

    /** @param drained receives the name of a factory of which nothing is left */
    public FactorySwitchover(
            EngineContext engine,
            FactoryRegistry registry,
            ResourcePool pool,
            Provisioner provisioner,
            Consumer<String> drained) {
        this.scheduler = engine.scheduler();
        this.events = engine.events();
        this.registry = registry;
        this.pool = pool;
        this.membership = pool.membership();
        this.poolFactories = pool.factories();
        this.provisioner = provisioner;
        this.drained = drained;
    }

    /** The name of the factory that is about to take over; empty text if none is. */
    public synchronized String incoming() {
        return incoming;
    }

    /** @return completes when the next factory is the active one; fails with {@link IpamException} */
    public CompletableFuture<Void> begin(NamedFactory wanted) {
        String name = wanted.name();
        CompletableFuture<Able> coming = new CompletableFuture<>();
        synchronized (this) {
            if (!incoming.isEmpty()) {
                return refused(
                        ErrorCode.TRY_AGAIN, "factory " + incoming + " is taking over just now", "wait for its end");
            }
            if (name.equals(registry.active().name())) {
                return refused(
                        ErrorCode.INVALID_ARGUMENT, "factory " + name + " is the active one", "nothing to be done");
            }
            incoming = name;
            proof = coming;
        }
        // one that is leaving is that factory, and stays
        NamedFactory next = registry.find(name).orElse(wanted);
        come(next, coming)
                .thenCompose(able -> prove(next, able, coming).thenApply(done -> able))
                .whenComplete((able, error) -> {
                    if (error != null) {
                        leave(next, coming);
                        coming.completeExceptionally(error);
                    } else if (!coming.complete(able)) {
                        leave(next, coming);
                    }
                });
        return coming.thenAccept(able -> takeOver(next, able)).handle((done, error) -> {
            synchronized (this) {
                incoming = "";
            }
            return error == null ? done : failed(next, Stages.cause(error));
        });
    }

    /**
     * A factory that does not take over leaves when the last call of its swap has ended, so that nothing joins the pool behind its
     * back; unless it comes or came once more.
     */
    private void leave(NamedFactory next, CompletableFuture<Able> coming) {
        synchronized (this) {
            if (proof != coming && incoming.equals(next.name())) {
                return;
            }
        }
        if (!registry.active().name().equals(next.name())) {
            registry.add(next);
            poolFactories.leave(next.name());
        }
    }

    /** Ends a swap whose factory has not proven itself, with this failure; false if there is none, or it takes over already. */
    public boolean cancel(IpamException why) {
        CompletableFuture<Able> coming;
        synchronized (this) {
            coming = proof;
        }
        return coming.completeExceptionally(why);
    }

    private record Able(ResourceKind kind, int capacity) {}

    private CompletionStage<Able> come(NamedFactory next, CompletableFuture<Able> coming) {
        // welcome before it is listed: one that was leaving must not be done with meanwhile
        registry.add(next);
        poolFactories.register(next.name(), next.provider());
        // what the pool had and has no more when the list is there went back since: the list may be older
        Set<ResourceId> before = pool.idsOf(next.name());
        FactoryListComparison comparison = membership.compare(next.name());
        return Stages.ask(() -> next.factory().list(), LIST, scheduler)
                .whenComplete((listed, error) -> comparison.drop())
                .thenApply(listed -> {
                    if (coming.isDone()) {
                        throw new CancellationException();
                    }
                    ResourceKind kind = next.factory().kind();
                    Capabilities able = next.factory().capabilities();
                    if (!sharesProvider(next)) {
                        takeUp(next, listed, kind, before, comparison);
                    }
                    return new Able(kind, able.capacity());
                });
    }

    private void takeUp(
            NamedFactory next,
            List<Resource> listed,
            ResourceKind kind,
            Set<ResourceId> before,
            FactoryListComparison comparison) {
        for (Resource resource : ValidatedList.of(next, kind, listed, events).resources()) {
            if (comparison.isLeaving(resource)) {
                continue;
            }
            Optional<Resource> rival =
                    before.contains(resource.id()) ? membership.rival(resource) : membership.adoptNew(resource);
            rival.filter(other -> !other.factory().equals(next.name()))
                    .ifPresent(other -> ValidatedList.clash(events, next.name(), resource, other));
        }
    }

    private boolean sharesProvider(NamedFactory next) {
        return registry.active().provider().equals(next.provider());
    }

    private CompletionStage<Void> prove(NamedFactory next, Able able, CompletableFuture<Able> coming) {
        if (sharesProvider(next) || coming.isDone()) {
            return CompletableFuture.completedFuture(null);
        }
        int count = membership.recordComing(next.name(), poolFactories.wantedOfNext(), able.capacity());
        if (count == 0) {
            return proven(next, false, Optional.empty());
        }
        CompletableFuture<Void> all = new CompletableFuture<>();
        AtomicInteger open = new AtomicInteger(count);
        AtomicReference<Optional<Failed>> reason = new AtomicReference<>(Optional.empty());
        // a pool that is drained sends back at once what came: that it came is the proof
        AtomicBoolean made = new AtomicBoolean();
        provisioner.createFor(next, count, failure -> {
            failure.ifPresentOrElse(failed -> reason.set(failure), () -> made.set(true));
            if (open.decrementAndGet() == 0) {
                all.complete(null);
            }
        });
        return all.thenCompose(done -> proven(next, made.get(), reason.get()));
    }

    private CompletionStage<Void> proven(NamedFactory next, boolean made, Optional<Failed> failure) {
        if (made || poolFactories.usable(next.name()) > 0) {
            return CompletableFuture.completedFuture(null);
        }
        return refused(
                ErrorCode.CLOUD_FAILED,
                "factory " + next.name() + " makes nothing: "
                        + failure.map(Failed::message).orElse("it has no room, or the pool has none"),
                SWAP_AGAIN);
    }

    private void takeOver(NamedFactory next, Able able) {
        NamedFactory former = registry.active();
        registry.activate(next.name());
        poolFactories.activate(next.name(), able.kind(), able.capacity());
        String swapped = "factory " + next.name() + " makes what is made, in the place of " + former.name();
        events.info("FactorySwapped", next.name(), swapped);
        for (NamedFactory other : registry.others()) {
            if (other.provider().equals(next.provider())) {
                poolFactories.merge(other.name(), next.name());
            } else if (other.name().equals(former.name())) {
                String leaving = "factory " + former.name() + " makes nothing more, and takes back what it made";
                events.info("FactoryLeaving", former.name(), leaving);
                poolFactories.leave(former.name());
            }
        }
        provisioner.changed();
    }

    private Void failed(NamedFactory next, Throwable cause) {
        IpamException refusal = cause instanceof IpamException known && known.code() != ErrorCode.DEADLINE_EXCEEDED
                ? known
                : new IpamException(
                        ErrorCode.CLOUD_FAILED,
                        "factory " + next.name() + " cannot be listed: " + cause.getMessage(),
                        SWAP_AGAIN,
                        cause);
        events.warning("FactorySwapFailed", next.name(), String.valueOf(refusal.getMessage()));
        throw refusal;
    }

    public void drained(String name) {
        if (poolFactories.knows(name)) {
            return; // it was called back since
        }
        registry.forget(name);
        events.info("FactoryDrained", name, "nothing of factory " + name + " is left");
        drained.accept(name);
    }

    private static <T> CompletableFuture<T> refused(ErrorCode code, String message, String hint) {
        return CompletableFuture.failedFuture(new IpamException(code, message, hint));
    }
}
