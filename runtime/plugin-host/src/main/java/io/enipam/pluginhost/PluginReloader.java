package io.enipam.pluginhost;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.PolicyPort;
import io.enipam.pluginhost.SharedFactories.Held;
import io.enipam.pluginhost.load.LoadedPlugin;
import io.enipam.pluginhost.load.PluginCatalog.PluginLoadException;
import io.enipam.sdk.Address;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts a plugin that is loaded from the files of now in the place of the one that is loaded. One reload or swap at a time, which
 * {@link PluginSwapper} sees to.
 *
 * <ol>
 *   <li>The next plugin is <b>loaded and checked</b>: its settings, and that it brings the policy in force and the factories in use.
 *   <li>Its <b>policy is opened</b>, if that is in force, and not used yet.
 *   <li>Each <b>factory in use is replaced</b>, the wrapped ones before those that wrap them ({@link SharedFactory} has the states):
 *       its callers wait, it is closed, the next one is opened on the same tables and directory, and has to list what pods have.
 *   <li>The next plugin <b>takes the former one's place</b>, and the former one is closed.
 * </ol>
 *
 * <p>Whatever fails or is cancelled before the last step leaves the former plugin: each factory that was opened by the next one is
 * closed, and opened by the former one. Nothing is written: a daemon that is killed at any step starts with the files that are
 * there.
 */
public final class PluginReloader {
    private static final String GOES_ON = "what was loaded before goes on";
    /** How long a list may take. */
    private static final Duration LIST = Duration.ofSeconds(20);
    /** How long after a list that leaves out what pods have the next one is asked for: it may lag. */
    private static final Duration SECOND_LOOK = Duration.ofSeconds(1);
    /** So many pods are named. */
    private static final int NAMED = 3;

    private final PluginHost host;
    private final ActiveSelection inForce;
    private final IpamEngine engine;
    private final EventSink events;
    /** Whether the reload takes place: what completes this first decides. */
    private volatile CompletableFuture<Void> decision = CompletableFuture.completedFuture(null);

    PluginReloader(PluginHost host, ActiveSelection inForce, IpamEngine engine, EventSink events) {
        this.host = host;
        this.inForce = inForce;
        this.engine = engine;
        this.events = events;
    }

    /** Loads it, and checks that it can take the place of the former one. Blocks, and changes nothing. */
    LoadedPlugin loaded(String id) {
        Optional<GuardedPlugin> former = former(id);
        LoadedPlugin fresh;
        try {
            fresh = host.catalog().loadAnew(id);
        } catch (PluginLoadException e) {
            throw refused(id, String.valueOf(e.getMessage()), GOES_ON, e);
        }
        try {
            host.checkSettings(fresh);
            former.flatMap(this::policyInForce).ifPresent(name -> requirePolicy(fresh, name));
            return fresh;
        } catch (IllegalArgumentException e) {
            host.catalog().discard(fresh);
            throw refused(id, String.valueOf(e.getMessage()), "correct enipam.yaml and restart the daemon", e);
        } catch (IpamException e) {
            host.catalog().discard(fresh);
            throw e;
        }
    }

    private static void requirePolicy(LoadedPlugin fresh, String name) {
        if (fresh.parts().policies().stream().noneMatch(policy -> policy.name().equals(name))) {
            throw missing(fresh, "policy " + name + " is in force", "plugin swap policy watermark");
        }
    }

    private static IpamException missing(LoadedPlugin fresh, String what, String command) {
        return refused(
                fresh.manifest().id(),
                what + ", and the new one does not bring it",
                "swap to another one first: " + command,
                null);
    }

    /**
     * Puts it in the place of the former one. Blocks while its policy is opened and its factories are replaced, if they are used.
     *
     * @param cancelled why it was cancelled before this call; null if it was not
     */
    PluginReload use(LoadedPlugin fresh, Supplier<@Nullable IpamException> cancelled) {
        String id = fresh.manifest().id();
        Optional<GuardedPlugin> former = former(id);
        decision = new CompletableFuture<>();
        Optional.ofNullable(cancelled.get()).ifPresent(this::cancel);
        // whatever of it is opened from now on is the next one's
        GuardedPlugin next = host.prefer(fresh);
        List<Held> inUse = former.map(unit -> host.holdFactories(unit.loaded())).orElse(List.of());
        Optional<PolicyPort> policy;
        try {
            inUse.forEach(factory -> requireFactory(next, factory.name()));
            policy = former.flatMap(this::policyInForce).map(host::policy);
            inUse.forEach(factory -> replace(id, factory));
            if (!decision.complete(null)) {
                decision.join();
            }
            host.catalog().use(fresh);
        } catch (PluginLoadException | RuntimeException e) {
            decision.complete(null);
            host.preferNone();
            host.holdFactories(fresh).forEach(factory -> putBack(next, factory));
            release(inUse);
            host.retire(next);
            Throwable cause = Stages.cause(e);
            throw cause instanceof IpamException known
                    ? known
                    : refused(id, String.valueOf(cause.getMessage()), GOES_ON, cause);
        }
        host.preferNone();
        policy.ifPresent(this::engage);
        release(inUse);
        former.ifPresent(host::retire);
        String from = former.map(unit -> unit.loaded().manifest().version()).orElse("");
        String to = fresh.manifest().version();
        String instead = from.isEmpty() ? "" : " in the place of " + from;
        events.info("PluginReloaded", id, "plugin " + id + " " + to + " was loaded from " + fresh.source() + instead);
        return new PluginReload(id, from, to);
    }

    private static void release(List<Held> factories) {
        factories.forEach(factory -> factory.release().run());
    }

    private static void requireFactory(GuardedPlugin next, String name) {
        if (next.factory(name).isEmpty()) {
            throw missing(next.loaded(), "its factory " + name + " is in use", "plugin swap factory NAME");
        }
    }

    /** Ends the reload that is under way: it fails with this failure. False if none is, or its last step has begun. */
    boolean cancel(IpamException why) {
        return decision.completeExceptionally(why);
    }

    private void engage(PolicyPort next) {
        Optional<PolicyPort> replaced = inForce.policy(next);
        engine.use(next);
        replaced.ifPresent(last -> host.release(last, true));
    }

    private void replace(String id, Held held) {
        SharedFactory factory = held.factory();
        Set<String> around = host.factoriesAround(held.name());
        // what a factory around it has lent, it has from this one or from others
        Set<InetAddress> listed = around.isEmpty() ? Set.of() : addresses(answer(held, factory.list()));
        Predicate<PoolView.Entry> fromHere = entry -> entry.resource().factory().equals(held.name())
                || (around.contains(entry.resource().factory()) && listed.containsAll(addresses(entry.resource())));
        factory.quiesce();
        factory.reopen();
        prove(id, held, fromHere);
        factory.serve();
    }

    /** The factory that is open has to list what pods have. */
    private void prove(String id, Held held, Predicate<PoolView.Entry> fromHere) {
        Set<Resource> before =
                engine.pool().entries().stream().map(PoolView.Entry::resource).collect(toSet());
        List<PoolView.Entry> unlisted = unlisted(held, before, fromHere);
        if (!unlisted.isEmpty()) {
            answer(
                    held,
                    new CompletableFuture<Void>()
                            .completeOnTimeout(null, SECOND_LOOK.toMillis(), TimeUnit.MILLISECONDS));
            unlisted = unlisted(held, before, fromHere);
        }
        if (!unlisted.isEmpty()) {
            String pods = unlisted.stream()
                    .limit(NAMED)
                    .map(entry -> AddressFormat.of(entry.resource())
                            + entry.pod().map(pod -> " of " + pod).orElse(""))
                    .collect(joining(", "));
            String why = "its factory " + held.name() + " does not list " + unlisted.size()
                    + " of the addresses that pods have: " + pods + (unlisted.size() > NAMED ? ", and so on" : "");
            throw refused(id, why, GOES_ON, null);
        }
    }

    private List<PoolView.Entry> unlisted(Held held, Set<Resource> before, Predicate<PoolView.Entry> fromHere) {
        List<Resource> listed = answer(held, held.factory().listAhead());
        Set<InetAddress> addresses = addresses(listed);
        Set<Resource> resources = Set.copyOf(listed);
        return engine.pool().entries().stream()
                .filter(entry -> entry.owner().isPresent() && entry.state() == ResourceState.IN_USE)
                .filter(entry -> before.contains(entry.resource()))
                .filter(fromHere)
                .filter(entry -> !addresses.containsAll(addresses(entry.resource()))
                        || (entry.resource().factory().equals(held.name()) && !resources.contains(entry.resource())))
                .toList();
    }

    private static Set<InetAddress> addresses(Collection<Resource> resources) {
        return resources.stream()
                .flatMap(resource -> resource.addresses().stream())
                .map(Address::ip)
                .collect(toSet());
    }

    private static Set<InetAddress> addresses(Resource resource) {
        return addresses(List.of(resource));
    }

    /** What a factory answers in time, unless the reload is cancelled before. */
    private <T> T answer(Held held, CompletionStage<T> stage) {
        CompletableFuture<T> answer = stage.toCompletableFuture();
        try {
            CompletableFuture.anyOf(answer, decision).get(LIST.toSeconds(), TimeUnit.SECONDS);
            return answer.join();
        } catch (ExecutionException e) {
            if (Stages.cause(e) instanceof IpamException cancelled) {
                throw cancelled;
            }
            throw new FactoryException(
                    ErrorKind.UNAVAILABLE,
                    "its factory " + held.name() + " cannot be listed: "
                            + Stages.cause(e).getMessage(),
                    e);
        } catch (TimeoutException e) {
            throw new FactoryException(
                    ErrorKind.DEADLINE_EXCEEDED,
                    "its factory " + held.name() + " was not listed within " + LIST.toSeconds() + " s",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FactoryException(ErrorKind.UNAVAILABLE, "the reload was interrupted", e);
        }
    }

    /**
     * Has a factory opened by the plugin that stays, unless it has been all the while; if that fails, nothing is open, and each list
     * tries it again.
     *
     * @param refused the plugin that does not stay
     */
    private void putBack(GuardedPlugin refused, Held held) {
        SharedFactory factory = held.factory();
        try {
            if (factory.state() != SharedFactory.State.SERVING || refused.isOpen(held.name())) {
                factory.quiesce();
                factory.reopen();
                factory.serve();
            }
        } catch (RuntimeException e) {
            factory.giveUp(String.valueOf(e.getMessage()));
            String id = refused.loaded().manifest().id();
            String what = "factory " + held.name() + " of plugin " + id
                    + " is not open, and is opened with the next list that can: ";
            events.error("PluginFailed", id, what + e.getMessage());
        } finally {
            held.release().run();
        }
    }

    private Optional<GuardedPlugin> former(String id) {
        return host.catalog().plugin(id).map(host::unit);
    }

    private Optional<String> policyInForce(GuardedPlugin unit) {
        return Optional.of(inForce.policyInForce())
                .filter(name -> unit.policy(name).isPresent());
    }

    private static IpamException refused(String id, String why, String hint, @Nullable Throwable cause) {
        String message = "plugin " + id + " is not loaded anew: " + why;
        return cause == null
                ? new IpamException(ErrorCode.PLUGIN_FAILED, message, hint)
                : new IpamException(ErrorCode.PLUGIN_FAILED, message, hint, cause);
    }

    /** @param from the version that was loaded before; empty if none was */
    public record PluginReload(String id, String from, String to) {}
}
