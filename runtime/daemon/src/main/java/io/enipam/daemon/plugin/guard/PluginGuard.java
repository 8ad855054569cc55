package io.enipam.daemon.plugin.guard;

import dev.failsafe.CircuitBreaker;
import io.enipam.daemon.platform.StuckThreads;
import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceFactory;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Everything the daemon does with one plugin's code goes through here. No call of it can hold the daemon up beyond its deadline,
 * throw through it, or starve it of threads. Thread-safe.
 */
public final class PluginGuard implements AutoCloseable {
    private final String pluginId;
    private final ClassLoader loader;
    private final GuardLimits limits;
    private final TimeSource time;
    private final Scheduler scheduler;
    private final StuckThreads stuck;
    private final Consumer<Health> onChange;
    private final Tally tally = new Tally();
    private final Watchdog policyWatchdog;
    private final PluginThreads threads;
    private final List<PartGuard> parts = new CopyOnWriteArrayList<>();
    private Health health;

    /**
     * @param loader the context class loader while the plugin's code runs
     * @param scheduler where the engine's work goes on after a call
     * @param stuck told of threads of the engine's that the plugin holds up
     * @param onChange told when the plugin's health changes
     */
    public PluginGuard(
            String pluginId,
            ClassLoader loader,
            GuardLimits limits,
            TimeSource time,
            Scheduler scheduler,
            StuckThreads stuck,
            Consumer<Health> onChange) {
        this.pluginId = pluginId;
        this.loader = loader;
        this.limits = limits;
        this.time = time;
        this.scheduler = scheduler;
        this.stuck = stuck;
        this.onChange = onChange;
        this.policyWatchdog =
                new Watchdog(time, limits.concurrent(), limits.policyCall().dividedBy(2));
        this.threads = new PluginThreads(pluginId, loader, limits, time, tally);
        this.health = new Health(true, "", time.now());
    }

    /** The policy as the engine may ask it. */
    public PolicyPort policy(PoolPolicy policy, String name) {
        return new GuardedPolicy(
                policy, name, part("policy " + name), this, policyWatchdog, threads, stuck, time, scheduler);
    }

    /**
     * The factory as the engine may call it. Blocks for as long as the factory takes to name its kind and capabilities.
     *
     * @throws PluginException if it does not say them in time, or answers nonsense
     */
    public ResourceFactory factory(ResourceFactory factory, String name) {
        return GuardedFactory.wrap(
                factory, name, pluginId, part("factory " + name), limits, threads, scheduler, time, tally);
    }

    /**
     * Runs something else of the plugin's on a thread of its own: opening, a diagnostic.
     *
     * @param what for people: {@code opening policy x}
     * @return fails with {@link PluginException} if it is late or cannot be run, else with what it threw
     */
    public <T> CompletableFuture<T> call(String what, Duration deadline, Callable<T> work) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        threads.run(new PluginThreads.Task<>(what, deadline, work), Outcomes.into(answer));
        return answer;
    }

    /** Whether the plugin can be called now. */
    public synchronized Health health() {
        return health;
    }

    public Counters counters() {
        CircuitBreaker.State worst = parts.stream()
                .map(PartGuard::state)
                .max(Comparator.comparingInt(PluginGuard::badness))
                .orElse(CircuitBreaker.State.CLOSED);
        return tally.read(worst.name());
    }

    /** Whether a thread is one of those that this guard gives the plugin. */
    public boolean owns(Thread thread) {
        return thread instanceof PluginThreads.PluginThread own
                && own.pluginId().equals(pluginId);
    }

    Tally tally() {
        return tally;
    }

    ClassLoader loader() {
        return loader;
    }

    GuardLimits limits() {
        return limits;
    }

    private PartGuard part(String name) {
        parts.removeIf(part -> part.name().equals(name));
        PartGuard part = new PartGuard(name, limits, this::look);
        parts.add(part);
        return part;
    }

    private void look() {
        Health now;
        // looked at under the lock: of two that look at once, who looked first must not have the last word
        synchronized (this) {
            String trouble = parts.stream()
                    .map(PartGuard::trouble)
                    .filter(text -> !text.isEmpty())
                    .findFirst()
                    .orElse("");
            boolean healthy = trouble.isEmpty();
            boolean same = healthy == health.healthy();
            health = new Health(healthy, trouble, same ? health.since() : time.now());
            if (same) {
                return;
            }
            now = health;
        }
        scheduler.execute(() -> onChange.accept(now));
    }

    private static int badness(CircuitBreaker.State state) {
        return switch (state) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
        };
    }

    /** Ends the plugin's threads; one that hangs is left behind. */
    @Override
    public void close() {
        threads.close();
    }
}
