package io.enipam.pluginhost;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.PolicyPort;
import io.enipam.sdk.FactoryException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Changes what is in force while the daemon runs, one change at a time. Thread-safe.
 *
 * <p>A change is on disk before the swap succeeds, so that a restart comes up the same way. A factory is on disk as one that
 * may have made something before it makes the first thing: a daemon killed in the middle finds it at its start, and takes back
 * what it made. Whatever fails leaves things as they were.
 */
public final class PluginSwapper {
    private final PluginHost host;
    private final ActiveSelection inForce;
    private final IpamEngine engine;
    private final EventSink events;
    private final Executor blocking;
    private final AtomicBoolean busy = new AtomicBoolean();

    /** @param blocking runs what waits for plugins and for the disk */
    public PluginSwapper(
            PluginHost host, ActiveSelection inForce, IpamEngine engine, EventSink events, Executor blocking) {
        this.host = host;
        this.inForce = inForce;
        this.engine = engine;
        this.events = events;
        this.blocking = blocking;
    }

    /**
     * Puts another policy in force.
     *
     * @param dryRun opens it, to see whether it could be done, and changes nothing
     */
    public CompletableFuture<PolicySwap> policy(String name, boolean dryRun) {
        return alone(() -> {
            String before = inForce.selection().policy();
            PolicyPort next = opened("policy", name, host::policies, () -> host.policy(name));
            boolean same = name.equals(inForce.policyInForce());
            if (dryRun) {
                host.release(next, same);
                return CompletableFuture.completedFuture(new PolicySwap(before, name));
            }
            try {
                inForce.change(now -> now.withPolicy(name));
            } catch (IpamException e) {
                host.release(next, same);
                throw e;
            }
            Optional<PolicyPort> replaced = inForce.policy(next);
            engine.use(next);
            replaced.ifPresent(former -> host.release(former, same));
            events.info("PolicySwapped", name, "policy " + name + " is in force in the place of " + before);
            return CompletableFuture.completedFuture(new PolicySwap(before, name));
        });
    }

    /**
     * Makes another factory the one that makes resources.
     *
     * @param dryRun opens it, to see whether it could be done, and changes nothing
     */
    public CompletableFuture<FactorySwap> factory(String name, boolean dryRun) {
        return alone(() -> swapped(name, dryRun).whenCompleteAsync((done, failure) -> settle(), blocking));
    }

    /** What the engine has not is not needed any more. */
    private void settle() {
        inForce.unpin(engine.factories().stream().map(FactoryView::name).collect(Collectors.toSet()));
    }

    private CompletableFuture<FactorySwap> swapped(String name, boolean dryRun) {
        try {
            PluginSelection before = inForce.selection();
            if (name.equals(before.factory())) {
                throw new IpamException(
                        ErrorCode.INVALID_ARGUMENT,
                        "factory " + name + " makes the resources already",
                        "'plugin list' shows the factories there are");
            }
            // before it is opened: one that is leaving may be done with at any moment
            inForce.pin(Set.of(before.factory(), name));
            if (dryRun) {
                opened("factory", name, host::factories, () -> {
                    inForce.openOnTrial(name);
                    return name;
                });
                return CompletableFuture.completedFuture(report(before, name));
            }
            NamedFactory next = opened("factory", name, host::factories, () -> inForce.open(name));
            inForce.change(now -> now.withLeaving(name));
            // the disk is not for the engine's threads
            return engine.switchFactory(next)
                    .thenComposeAsync(done -> settled(before, name), blocking)
                    .thenApply(done -> report(before, name));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The engine has swapped; if that cannot be written down, it swaps back. */
    private CompletableFuture<Void> settled(PluginSelection before, String name) {
        try {
            inForce.change(now -> now.withFactory(name));
            return CompletableFuture.completedFuture(null);
        } catch (IpamException e) {
            return engine.switchFactory(inForce.named(before.factory()))
                    .handle((done, failure) -> failure == null ? "" : "; the former one could not be put back, either")
                    .thenCompose(more -> CompletableFuture.failedFuture(
                            new IpamException(e.code(), e.getMessage() + more, e.hint(), e)));
        }
    }

    private FactorySwap report(PluginSelection before, String name) {
        Optional<FactoryView> left = engine.factories().stream()
                .filter(view -> view.name().equals(before.factory()))
                .findFirst();
        return new FactorySwap(
                before.factory(),
                name,
                left.map(FactoryView::resources).orElse(0),
                left.map(FactoryView::leases).orElse(0));
    }

    private <T> T opened(String what, String name, Supplier<TreeSet<String>> names, Supplier<T> open) {
        host.awaitOneWith(name);
        TreeSet<String> there = names.get();
        if (!there.contains(name)) {
            throw DiagnosticRunner.unknown(what, name, there, "there is " + String.join(", ", there));
        }
        try {
            return open.get();
        } catch (FactoryException e) {
            throw new IpamException(
                    ErrorCode.PLUGIN_FAILED,
                    String.valueOf(e.getMessage()),
                    "nothing was changed; 'plugin list' and 'events' tell more",
                    e);
        }
    }

    private <T> CompletableFuture<T> alone(Supplier<CompletableFuture<T>> change) {
        if (!busy.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(
                    new IpamException(ErrorCode.TRY_AGAIN, "another swap is under way", "try again when it has ended"));
        }
        return CompletableFuture.supplyAsync(change, blocking)
                .thenCompose(stage -> stage)
                .whenComplete((done, failure) -> busy.set(false))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof CompletionException ? Stages.cause(failure) : failure));
    }

    /**
     * @param leavingResources what the former made and is still there
     * @param leavingLeases how many of those are lent
     */
    public record FactorySwap(String from, String to, int leavingResources, int leavingLeases) {}

    public record PolicySwap(String from, String to) {}
}
