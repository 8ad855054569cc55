package io.enipam.pluginhost.guard;

import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.platform.EngineThread.StuckThreadListener;
import io.enipam.pluginhost.guard.PluginCallCounts.PluginCallCounters;
import io.enipam.pluginhost.guard.RecentFailures.PluginFailure;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceFactory;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One plugin's guard: whatever the daemon wants of the plugin goes through here, and has a deadline, a bounded number
 * of places, a breaker and counters. Each policy, factory and extension has its own, and so has what goes through
 * {@link #calls}: one part that hangs does not take the others with it.
 *
 * <p>The guard ends no call: the JVM has no way to. It answers for one, interrupts it once, and lets nothing more go
 * where it went.
 *
 * <p>Thread-safe.
 */
public final class PluginGuard implements AutoCloseable {
    private static final long KEEP_THREAD_SECONDS = 10;

    private final GuardContext context;
    private final StuckThreadListener stuck;
    private final GuardedCalls calls;
    private final ThreadPoolExecutor journal;
    private final List<GuardedPolicy> policies = new CopyOnWriteArrayList<>();
    private final List<GuardedFactory> factories = new CopyOnWriteArrayList<>();
    private final List<GuardedCalls> extensions = new CopyOnWriteArrayList<>();

    /**
     * @param pluginId names the plugin in messages and its threads in dumps
     * @param pluginLoader the context class loader of the plugin's code
     * @param time a clock that runs by itself
     * @param engine where outcomes are reported: the engine's threads, never the plugin's
     * @param stuck called when the plugin keeps one of the engine's threads
     * @param onChange receives every change of the health's state, one at a time, in order, on the engine's threads;
     *     not the health at the beginning
     */
    public PluginGuard(
            String pluginId,
            ClassLoader pluginLoader,
            GuardLimits limits,
            TimeSource time,
            Scheduler engine,
            StuckThreadListener stuck,
            Consumer<PluginHealth> onChange) {
        this.stuck = stuck;
        this.context = new GuardContext(
                pluginId,
                limits,
                new PluginThreads(pluginId, pluginLoader),
                time,
                engine,
                new Watchdog(pluginId),
                new PluginCallCounters(time),
                new PluginHealthTracker(time, engine, onChange));
        this.calls = new GuardedCalls("plugin " + pluginId, new PluginFailures(pluginId, ""), context);
        this.journal = new ThreadPoolExecutor(
                1, 1, KEEP_THREAD_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), context.threads());
        journal.allowCoreThreadTimeOut(true);
    }

    /**
     * A policy as the engine may ask it.
     *
     * @param name as the provider announced it; the policy itself is not asked
     * @return what {@link #release} takes back
     */
    public PolicyPort policy(PoolPolicy policy, String name) {
        GuardedPolicy guarded = new GuardedPolicy(policy, name, context, stuck);
        policies.add(guarded);
        return guarded;
    }

    /** The engine does not ask this policy any more: it does not count for the plugin's health any longer. */
    public void release(PolicyPort policy) {
        if (policy instanceof GuardedPolicy mine && policies.remove(mine)) {
            mine.close();
        }
    }

    /**
     * A factory as the engine may use it: none of its methods blocks or throws what the plugin threw. Asks for kind and
     * capabilities, and blocks for that within the deadline of a factory's call; so not for an engine's thread.
     *
     * @param name as the provider announced it
     * @throws PluginCallException if the factory does not say what it is
     */
    public ResourceFactory factory(ResourceFactory factory, String name) {
        GuardedFactory guarded = new GuardedFactory(factory, name, context);
        factories.removeIf(GuardedFactory::isRetired);
        factories.add(guarded);
        guarded.introduce();
        return guarded;
    }

    /** Completes when the close of a {@link #factory} has returned, however late; never fails. */
    public CompletionStage<Void> closed(ResourceFactory factory) {
        return factory instanceof GuardedFactory mine ? mine.closed() : CompletableFuture.completedFuture(null);
    }

    /** Calls of the plugin that belong to no part of it, such as opening one. */
    public GuardedCalls calls() {
        return calls;
    }

    /** Calls of an extension, whether it is open or not. */
    public GuardedCalls extension(String name) {
        GuardedCalls made =
                new GuardedCalls("extension " + name, new PluginFailures(context.pluginId(), name), context);
        extensions.add(made);
        return made;
    }

    /**
     * Runs what the plugin's own journal calls back, one after the other: a plugin that holds this thread delays its own
     * commits, and no other one's.
     */
    public Executor journalThread() {
        return journal;
    }

    /** What the guards of one plugin's policies and factories share. */
    record GuardContext(
            String pluginId,
            GuardLimits limits,
            PluginThreads threads,
            TimeSource time,
            Scheduler engine,
            Watchdog watchdog,
            PluginCallCounters tally,
            PluginHealthTracker health) {
        /** The same with another number of calls at once. */
        GuardContext with(int concurrent) {
            GuardLimits other = new GuardLimits(
                    limits.policyDeadline(),
                    limits.factoryCall(),
                    limits.factoryList(),
                    limits.factoryClose(),
                    concurrent,
                    limits.queued(),
                    limits.breaker());
            return new GuardContext(pluginId, other, threads, time, engine, watchdog, tally, health);
        }
    }

    public PluginHealth health() {
        return context.health().now();
    }

    public PluginCallCounts counters() {
        return context.tally().now(context.health().overdue(), context.health().breaker());
    }

    /** The last failed calls, the newest first; at most {@value RecentFailures#MOST}. */
    public List<PluginFailure> recentFailures() {
        return context.tally().recent.all();
    }

    /**
     * How many threads live that the plugin's code has started; after {@link #close()} these are leaked. A thread
     * counts if the plugin defined its class, or if it has the plugin's context class loader, which new threads
     * inherit. Looks at every thread of the JVM.
     */
    public int startedThreads() {
        return context.threads().started();
    }

    /**
     * Asks the plugin nothing more, closes those of its factories that are open, and interrupts its threads. Takes as
     * long as the slowest factory's close, within its deadline. What hangs still, stays.
     */
    @Override
    public void close() {
        policies.forEach(GuardedPolicy::close);
        factories.forEach(GuardedFactory::beginClosing);
        factories.forEach(GuardedFactory::close);
        extensions.forEach(GuardedCalls::end);
        calls.end();
        journal.shutdownNow();
    }

    /** @param cause one line that says what is wrong; empty while nothing is */
    public record PluginHealth(State state, String cause, Instant since) {
        /** Whether a plugin is asked. */
        public enum State {
            /** All of it is asked. */
            HEALTHY,
            /** Some part of it is not asked now: it keeps a thread, or it failed too often. */
            DEGRADED
        }
    }
}
