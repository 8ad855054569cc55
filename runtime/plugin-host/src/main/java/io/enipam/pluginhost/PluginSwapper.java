package io.enipam.pluginhost;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.PolicyPort;
import io.enipam.pluginhost.PluginReloader.PluginReload;
import io.enipam.sdk.FactoryException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Changes what is in force while the daemon runs, one change at a time. Thread-safe.
 *
 * <p>A change is on disk before the swap succeeds, so that a restart comes up the same way. A factory is on disk as one that
 * may have made something before it makes the first thing: a daemon killed in the middle finds it at its start, and takes back
 * what it made. Whatever fails leaves things as they were.
 *
 * <p>A plugin can hold a swap up: while its part is being opened, and while the engine waits for its factory, or a reload for the
 * factories that it replaces. In these phases the swap can be cancelled, and a swap to a built-in part cancels it by itself. What is
 * opened after that is closed again. From the moment on at which the part is open, or the factory has proven itself, only the daemon's
 * own work is left, which is short; the undoing of a reload has the deadlines of closing and opening.
 */
public final class PluginSwapper {
    private static final Executor OPENING = DaemonThreads.each("plugin-swap");

    private final PluginHost host;
    private final ActiveSelection inForce;
    private final IpamEngine engine;
    private final EventSink events;
    private final Executor blocking;
    private final PluginReloader reloader;
    private Optional<Swap<?>> underWay = Optional.empty();

    /** @param blocking runs what waits for plugins and for the disk */
    public PluginSwapper(
            PluginHost host, ActiveSelection inForce, IpamEngine engine, EventSink events, Executor blocking) {
        this.host = host;
        this.inForce = inForce;
        this.engine = engine;
        this.events = events;
        this.blocking = blocking;
        this.reloader = new PluginReloader(host, inForce, engine, events);
    }

    /** Loads a plugin from the files that are there now, in the place of the one that is loaded. */
    public CompletableFuture<PluginReload> reload(String id) {
        return alone(
                "plugin " + id,
                false,
                () -> reloader.loaded(id),
                host.catalog()::discard,
                // a thread of its own: its factories may keep it until their deadlines
                (swap, fresh) ->
                        CompletableFuture.supplyAsync(() -> reloader.use(fresh, swap.cancelled()::get), OPENING));
    }

    /**
     * One swap. Its part is open when {@link #opened} completes; whatever completes that first, the opening or a cancellation,
     * decides.
     *
     * @param what it is about: {@code policy steady}
     * @param cancelled with what it is to fail, once it is cancelled
     */
    private record Swap<T>(
            String what,
            CompletableFuture<T> opened,
            AtomicReference<IpamException> cancelled,
            CompletableFuture<Void> ended) {
        Swap(String what) {
            this(what, new CompletableFuture<>(), new AtomicReference<>(), new CompletableFuture<>());
        }
    }

    /**
     * Puts another policy in force.
     *
     * @param dryRun opens it, to see whether it could be done, and changes nothing
     */
    public CompletableFuture<PolicySwap> policy(String name, boolean dryRun) {
        return alone(
                "policy " + name,
                host.builtIns().policies().containsKey(name),
                () -> opened("policy", name, host::policies, () -> host.policy(name)),
                next -> host.release(next, name.equals(inForce.policyInForce())),
                (swap, next) -> CompletableFuture.completedFuture(put(next, dryRun)));
    }

    private PolicySwap put(PolicyPort next, boolean dryRun) {
        String name = next.name();
        String before = inForce.selection().policy();
        boolean same = name.equals(inForce.policyInForce());
        if (dryRun) {
            host.release(next, same);
            return new PolicySwap(before, name);
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
        return new PolicySwap(before, name);
    }

    /**
     * Makes another factory the one that makes resources.
     *
     * @param dryRun opens it, to see whether it could be done, and changes nothing
     */
    public CompletableFuture<FactorySwap> factory(String name, boolean dryRun) {
        return alone(
                        "factory " + name,
                        host.builtIns().factories().containsKey(name),
                        () -> openedFactory(name, dryRun),
                        OpenFactory::giveBack,
                        (swap, next) -> dryRun
                                ? CompletableFuture.completedFuture(report(inForce.selection(), name))
                                : switched(swap, next))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(ofPlugin(name, failure)));
    }

    /** The engine's code for a factory that makes nothing is that of the cloud, which a plugin need not use. */
    private Throwable ofPlugin(String name, Throwable failure) {
        boolean builtIn = host.builtIns().factories().containsKey(name);
        return !builtIn
                        && Stages.cause(failure) instanceof IpamException known
                        && known.code() == ErrorCode.CLOUD_FAILED
                ? new IpamException(ErrorCode.PLUGIN_FAILED, String.valueOf(known.getMessage()), known.hint(), known)
                : failure;
    }

    /** @param fresh whether it was opened for this swap, and is not the pool's */
    private record OpenFactory(NamedFactory factory, boolean fresh) {
        void giveBack() {
            if (fresh) {
                factory.factory().close();
            }
        }
    }

    private OpenFactory openedFactory(String name, boolean dryRun) {
        PluginSelection before = inForce.selection();
        if (name.equals(before.factory())) {
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "factory " + name + " makes the resources already",
                    "'plugin list' shows the factories there are");
        }
        // one that is leaving may be done with at any moment
        inForce.pin(Set.of(before.factory(), name));
        return opened("factory", name, host::factories, () -> {
            Optional<NamedFactory> known = inForce.known(name);
            if (known.isPresent()) {
                return new OpenFactory(known.get(), false);
            }
            OpenFactory fresh =
                    new OpenFactory(dryRun ? inForce.onTrial(name, host::factory) : host.factory(name), true);
            if (dryRun) {
                fresh.giveBack();
            }
            return fresh;
        });
    }

    private CompletableFuture<FactorySwap> switched(Swap<?> swap, OpenFactory opened) {
        PluginSelection before = inForce.selection();
        NamedFactory next = inForce.remembered(opened.factory());
        String name = next.name();
        inForce.change(now -> now.withLeaving(name));
        CompletableFuture<Void> switching = engine.switchFactory(next);
        // it may have been cancelled between its opening and this
        Optional.ofNullable(swap.cancelled().get()).ifPresent(engine::cancelSwitch);
        // the disk is not for the engine's threads
        return switching
                .thenComposeAsync(done -> settled(before, name), blocking)
                .thenApply(done -> report(before, name));
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

    /** What the engine has not is not needed any more. */
    private void settle() {
        inForce.unpin(engine.factories().stream().map(FactoryView::name).collect(Collectors.toSet()));
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

    /**
     * Cancels the swap that is under way, if there is one.
     *
     * @return what was cancelled: {@code policy steady}
     * @throws IpamException if only the daemon's own work is left of it
     */
    public Optional<String> cancel() {
        Optional<Swap<?>> last = underWay();
        last.filter(swap -> !cancelled(swap, "it was cancelled")).ifPresent(swap -> {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "the swap to " + swap.what() + " is all but done",
                    "'plugin list' shows what is in force; swap back if that is not wanted");
        });
        return last.map(Swap::what);
    }

    private synchronized Optional<Swap<?>> underWay() {
        return underWay;
    }

    private boolean cancelled(Swap<?> swap, String why) {
        IpamException refusal = new IpamException(
                ErrorCode.TRY_AGAIN, "the swap to " + swap.what() + " has not happened: " + why, "nothing was changed");
        swap.cancelled().set(refusal);
        return swap.opened().completeExceptionally(refusal) || engine.cancelSwitch(refusal) || reloader.cancel(refusal);
    }

    /**
     * One swap at a time.
     *
     * @param first whether it cancels the one that is under way
     * @param open opens the part; blocks
     * @param giveBack receives a part that is open after the swap was cancelled
     * @param put puts the part in force
     */
    private <T, R> CompletableFuture<R> alone(
            String what,
            boolean first,
            Supplier<T> open,
            Consumer<T> giveBack,
            BiFunction<Swap<?>, T, CompletableFuture<R>> put) {
        Swap<T> mine = new Swap<>(what);
        Optional<Swap<?>> before;
        synchronized (this) {
            before = underWay;
            if (before.isPresent() && !first) {
                return CompletableFuture.failedFuture(new IpamException(
                        ErrorCode.TRY_AGAIN,
                        "another swap is under way, to " + before.get().what(),
                        "try again when it has ended; 'plugin swap cancel' cancels it"));
            }
            underWay = Optional.of(mine);
        }
        before.ifPresent(other -> cancelled(other, "a swap to the built-in " + what + " came first"));
        CompletableFuture<R> outcome = mine.opened().thenComposeAsync(part -> put.apply(mine, part), blocking);
        // a thread of its own: a plugin may keep it until its deadline
        before.map(Swap::ended)
                .orElseGet(() -> CompletableFuture.completedFuture(null))
                .thenRun(() -> OPENING.execute(() -> open(mine, open, giveBack)));
        return outcome.whenCompleteAsync((done, failure) -> end(mine), blocking)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof CompletionException ? Stages.cause(failure) : failure));
    }

    private static <T> void open(Swap<T> swap, Supplier<T> open, Consumer<T> giveBack) {
        if (swap.opened().isDone()) {
            return;
        }
        try {
            T part = open.get();
            if (!swap.opened().complete(part)) {
                giveBack.accept(part);
            }
        } catch (RuntimeException e) {
            swap.opened().completeExceptionally(e);
        }
    }

    private void end(Swap<?> swap) {
        settle();
        synchronized (this) {
            underWay = underWay.filter(other -> other != swap);
        }
        swap.ended().complete(null);
    }

    /**
     * @param leavingResources what the former made and is still there
     * @param leavingLeases how many of those are lent
     */
    public record FactorySwap(String from, String to, int leavingResources, int leavingLeases) {}

    public record PolicySwap(String from, String to) {}
}
