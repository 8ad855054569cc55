package io.enipam.daemon.plugin.guard;

import io.enipam.daemon.platform.EngineThread;
import io.enipam.daemon.plugin.guard.Counters.BreakerState;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A factory that nobody trusts.
 *
 * <p>Its methods run on the plugin's own threads, never on the caller's, and return at once. Outcomes travel the other way: the
 * plugin completes its stages on whatever thread it likes, and each outcome is checked there and handed to the engine's
 * threads. So neither side holds the other's locks or time.
 *
 * <p>A create or a disposal that hangs is interrupted and counted, but its items stay open: the engine has a deadline for each
 * of them, and takes or disposes of what is made late. Nobody but the plugin may say that nothing was made. What the guard
 * itself fails is what the plugin has never seen, and what it has answered with nonsense.
 *
 * <p>Kind and capabilities are asked on the plugin's threads and remembered: when the factory is wrapped, after each list, and
 * in the background when somebody wants them and they are ten seconds old.
 */
final class GuardedFactory implements ResourceFactory, Part {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedFactory.class);
    private static final long FACTS_LAST = TimeUnit.SECONDS.toNanos(10);

    private final String pluginId;
    private final String name;
    private final ResourceFactory factory;
    private final GuardLimits limits;
    private final PluginThreads threads;
    private final TimeSource time;
    private final Scheduler engine;
    private final Watchdog watchdog;
    private final Tally tally;
    private final HealthBook health;
    private final Lane lane;
    private final AtomicBoolean asking = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Optional<Facts> facts = Optional.empty();
    private volatile long factsAt;
    private volatile Optional<String> lie = Optional.empty();

    private record Facts(ResourceKind kind, Capabilities capabilities) {}

    GuardedFactory(
            String pluginId,
            String name,
            ResourceFactory factory,
            GuardLimits limits,
            PluginThreads threads,
            TimeSource time,
            Scheduler engine,
            Watchdog watchdog,
            Tally tally,
            HealthBook health) {
        this.pluginId = pluginId;
        this.name = name;
        this.factory = factory;
        this.limits = limits;
        this.threads = threads;
        this.time = time;
        this.engine = engine;
        this.watchdog = watchdog;
        this.tally = tally;
        this.health = health;
        this.lane = new Lane("factory " + name, limits, threads, time, watchdog, tally, health);
        health.add(this);
    }

    /**
     * Asks the factory for what it is, for the first time. Blocks, within the deadline of a call.
     *
     * @throws PluginCallException if it does not say
     */
    void introduce() {
        CompletableFuture<Facts> first = new CompletableFuture<>();
        askFacts(first);
        try {
            // the deadline, and as long again for an answer that came with it
            first.get(2 * limits.factoryCall().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof PluginCallException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw late("kind", limits.factoryCall());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PluginCallException(
                    PluginCallException.Reason.REFUSED, ErrorKind.UNAVAILABLE, says("interrupted while it was opened"));
        }
    }

    @Override
    public ResourceKind kind() {
        return known().kind();
    }

    @Override
    public Capabilities capabilities() {
        if (time.nanoTime() - factsAt > FACTS_LAST && !closed.get()) {
            refreshFacts();
        }
        return known().capabilities();
    }

    private Facts known() {
        return facts.orElseThrow(() -> new IllegalStateException("factory " + name + " was never introduced"));
    }

    private void refreshFacts() {
        if (asking.compareAndSet(false, true)) {
            factsAt = time.nanoTime();
            CompletableFuture<Facts> asked = new CompletableFuture<>();
            asked.whenComplete((answer, error) -> asking.set(false));
            askFacts(asked);
        }
    }

    private void askFacts(CompletableFuture<Facts> asked) {
        lane.send(
                new Errand() {
                    @Override
                    public String what() {
                        return "capabilities";
                    }

                    @Override
                    public Optional<Trouble> run() {
                        @Nullable ResourceKind kind = factory.kind();
                        @Nullable Capabilities capabilities = factory.capabilities();
                        Optional<Trouble> trouble = learn(kind, capabilities);
                        trouble.ifPresentOrElse(
                                wrong -> asked.completeExceptionally(new PluginCallException(
                                        PluginCallException.Reason.REJECTED, ErrorKind.INTERNAL, says(wrong.text()))),
                                () -> asked.complete(known()));
                        return trouble;
                    }

                    @Override
                    public void threw(Throwable thrown) {
                        asked.completeExceptionally(GuardedFactory.this.threw("capabilities", thrown));
                    }

                    @Override
                    public void late() {
                        asked.completeExceptionally(GuardedFactory.this.late("capabilities", limits.factoryCall()));
                    }

                    @Override
                    public void refused(String why, Duration retryAfter) {
                        asked.completeExceptionally(Failures.refused(pluginId, why));
                    }
                },
                limits.factoryCall());
    }

    private Optional<Trouble> learn(@Nullable ResourceKind kind, @Nullable Capabilities capabilities) {
        if (kind == null || capabilities == null) {
            return Optional.of(
                    Trouble.rejected("answered null to " + (kind == null ? "kind" : "capabilities") + " of " + name));
        }
        Optional<ResourceKind> before = facts.map(Facts::kind);
        if (before.isPresent() && !before.get().equals(kind)) {
            String text = "factory " + name + " was of kind " + before.get() + " and now says " + kind;
            lie = Optional.of(text);
            health.look();
            return Optional.of(Trouble.rejected(text));
        }
        facts = Optional.of(new Facts(kind, capabilities));
        factsAt = time.nanoTime();
        if (lie.isPresent()) {
            lie = Optional.empty();
            health.look();
        }
        return Optional.empty();
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        List<CreateRequest> asked = List.copyOf(requests);
        return batch("create", asked.size(), () -> factory.create(asked), this::checked, failed -> failed);
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        List<Resource> asked = List.copyOf(resources);
        return batch("dispose", asked.size(), () -> factory.dispose(asked), this::checked, failed -> failed);
    }

    /** The call of a batch, on the plugin's thread. */
    private interface BatchCall<R> {
        @Nullable
        List<CompletionStage<R>> make();
    }

    private <R> List<CompletionStage<R>> batch(
            String what, int size, BatchCall<R> call, Function<@Nullable R, R> check, Function<Failed, R> failed) {
        Thread caller = Thread.currentThread();
        List<CompletableFuture<R>> items = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            items.add(new CompletableFuture<>());
        }
        lane.send(
                new Errand() {
                    @Override
                    public String what() {
                        return what;
                    }

                    @Override
                    public Optional<Trouble> run() {
                        return follow(what, call.make(), items, check, failed);
                    }

                    @Override
                    public void threw(Throwable thrown) {
                        Failed outcome = failure(what, thrown);
                        engine.execute(() -> items.forEach(item -> item.complete(failed.apply(outcome))));
                    }

                    @Override
                    public void refused(String why, Duration retryAfter) {
                        Failed outcome = new Failed(ErrorKind.UNAVAILABLE, says(why), retryAfter);
                        Runnable end = () -> items.forEach(item -> item.complete(failed.apply(outcome)));
                        if (Thread.currentThread() == caller) {
                            end.run();
                        } else {
                            engine.execute(end);
                        }
                    }
                },
                limits.factoryCall());
        return List.copyOf(items);
    }

    /** Ties the plugin's stages to the engine's. On the plugin's thread: its lists and stages may be of its own make. */
    private <R> Optional<Trouble> follow(
            String what,
            @Nullable List<CompletionStage<R>> answered,
            List<CompletableFuture<R>> items,
            Function<@Nullable R, R> check,
            Function<Failed, R> failed) {
        if (answered == null) {
            return nonsense(what + " answered null", items, failed);
        }
        List<CompletionStage<R>> stages = new ArrayList<>(answered);
        if (stages.size() != items.size()) {
            return nonsense(what + " answered " + stages.size() + " of " + items.size() + " items", items, failed);
        }
        Optional<Trouble> trouble = Optional.empty();
        for (int i = 0; i < items.size(); i++) {
            CompletableFuture<R> item = items.get(i);
            // by this way the list may hold what is no stage
            Object stage = ((List<?>) stages).get(i);
            if (stage instanceof CompletionStage<?>) {
                tie(what, stages.get(i), item, check, failed);
            } else {
                // the others' stages are tied already: what they make must not get lost
                trouble = nonsense(what + " answered no stage for an item", List.of(item), failed);
            }
        }
        return trouble;
    }

    private <R> void tie(
            String what,
            CompletionStage<R> stage,
            CompletableFuture<R> item,
            Function<@Nullable R, R> check,
            Function<Failed, R> failed) {
        AtomicBoolean told = new AtomicBoolean();
        try {
            stage.whenComplete((result, error) -> {
                if (!told.compareAndSet(false, true)) {
                    tally.rejected.increment();
                    return;
                }
                R outcome = outcome(what, result, error, check, failed);
                engine.execute(() -> item.complete(outcome));
            });
        } catch (Throwable e) {
            if (told.compareAndSet(false, true)) {
                Failed outcome = stageFailure(what, e);
                engine.execute(() -> item.complete(failed.apply(outcome)));
            }
        }
    }

    private <R> R outcome(
            String what,
            @Nullable R result,
            @Nullable Throwable error,
            Function<@Nullable R, R> check,
            Function<Failed, R> failed) {
        try {
            return error == null ? check.apply(result) : failed.apply(stageFailure(what, error));
        } catch (ClassCastException e) {
            // generics promise nothing of what another's code puts in
            return failed.apply(misshapen(what));
        }
    }

    private <R> Optional<Trouble> nonsense(String text, List<CompletableFuture<R>> items, Function<Failed, R> failed) {
        Failed outcome = Failed.of(ErrorKind.INTERNAL, says(text));
        engine.execute(() -> items.forEach(item -> item.complete(failed.apply(outcome))));
        return Optional.of(Trouble.rejected(text));
    }

    private CreateResult checked(@Nullable CreateResult result) {
        if (result instanceof Failed failed) {
            return tidy("create", failed);
        }
        return result instanceof Created created && created.resource() != null && sound(created.resource())
                ? created
                : misshapen("create");
    }

    private DisposeResult checked(@Nullable DisposeResult result) {
        if (result instanceof Failed failed) {
            return tidy("dispose", failed);
        }
        return result instanceof Disposed disposed && disposed.id() != null ? disposed : misshapen("dispose");
    }

    private static boolean sound(@Nullable Resource resource) {
        return resource != null && resource.id() != null && resource.kind() != null && resource.parent() != null;
    }

    private Failed tidy(String what, Failed failed) {
        if (failed.kind() == null || failed.retryAfter() == null) {
            return misshapen(what);
        }
        return new Failed(failed.kind(), Words.line(failed.message()), failed.retryAfter());
    }

    private Failed misshapen(String what) {
        tally.rejected.increment();
        String text = what + " ended an item with null, or with what is no result";
        lane.badAfterwards(text);
        return Failed.of(ErrorKind.INTERNAL, says(text));
    }

    /** An item that ended with an exception. */
    private Failed stageFailure(String what, Throwable error) {
        tally.failed.increment();
        Failed failed = failure(what, error);
        if (failed.kind() == ErrorKind.INTERNAL) {
            lane.badAfterwards(failed.message());
        }
        return failed;
    }

    private Failed failure(String what, Throwable thrown) {
        PluginCallException failure = threw(what, thrown);
        return Failed.of(failure.kind(), failure.getMessage());
    }

    private PluginCallException threw(String what, Throwable thrown) {
        return Failures.threw(pluginId, what + " of " + name, unwrapped(thrown));
    }

    private PluginCallException late(String what, Duration deadline) {
        return Failures.late(pluginId, what + " of " + name, deadline);
    }

    private static Throwable unwrapped(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0;
                depth < 10 && at.getClass() == CompletionException.class && at.getCause() != null;
                depth++) {
            at = at.getCause();
        }
        return at;
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        CompletableFuture<List<Resource>> listed = new CompletableFuture<>();
        AtomicBoolean returned = new AtomicBoolean();
        lane.send(
                new Errand() {
                    @Override
                    public String what() {
                        return "list";
                    }

                    @Override
                    public Optional<Trouble> run() {
                        CompletionStage<List<Resource>> stage = factory.list();
                        returned.set(true);
                        if (stage == null) {
                            String text = "list answered null";
                            fail(listed, Failures.rejected(pluginId, "list of " + name));
                            return Optional.of(Trouble.rejected(text));
                        }
                        stage.whenComplete((resources, error) -> endList(listed, resources, error));
                        return Optional.empty();
                    }

                    @Override
                    public void threw(Throwable thrown) {
                        fail(listed, GuardedFactory.this.threw("list", thrown));
                    }

                    @Override
                    public void refused(String why, Duration retryAfter) {
                        fail(listed, Failures.refused(pluginId, why));
                    }
                },
                limits.factoryList());
        var timer = watchdog.after(limits.factoryList().toNanos(), () -> {
            if (!listed.isDone()) {
                if (returned.get()) {
                    tally.late.increment();
                    lane.badAfterwards("list did not complete within " + limits.factoryList());
                }
                fail(listed, late("list", limits.factoryList()));
            }
        });
        return listed.whenComplete((resources, error) -> timer.cancel(false));
    }

    private void endList(
            CompletableFuture<List<Resource>> listed, @Nullable List<Resource> resources, @Nullable Throwable error) {
        if (error != null) {
            tally.failed.increment();
            PluginCallException failure = threw("list", error);
            fail(listed, failure);
            return;
        }
        try {
            List<Resource> copy = List.copyOf(resources);
            if (!copy.stream().allMatch(GuardedFactory::sound)) {
                throw new NullPointerException("a resource lacks its id, kind or parent");
            }
            // what the factory can do may be known only now, and whoever lists asks for that next
            CompletableFuture<Facts> asked = new CompletableFuture<>();
            asked.whenComplete((answer, trouble) -> engine.execute(() -> listed.complete(copy)));
            askFacts(asked);
        } catch (Throwable e) {
            tally.rejected.increment();
            lane.badAfterwards("list answered null or with null in it");
            fail(listed, Failures.rejected(pluginId, "list of " + name));
        }
    }

    private void fail(CompletableFuture<?> future, FactoryException failure) {
        engine.execute(() -> future.completeExceptionally(failure));
    }

    private String says(String text) {
        return Words.line("plugin " + pluginId + ": " + text);
    }

    /**
     * Closes the plugin's factory, once, on a thread of its own, and then its threads. Waits for that within its deadline; an
     * engine's thread does not wait.
     */
    @Override
    public void close() {
        beginClosing();
        if (!(Thread.currentThread() instanceof EngineThread)) {
            try {
                ended.await(2 * limits.factoryClose().toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Begins to close, unless that has happened, and does not wait. */
    void beginClosing() {
        if (closed.compareAndSet(false, true)) {
            lane.stop();
            startClosing();
        }
    }

    private void startClosing() {
        InFlight[] call = new InFlight[1];
        Thread thread = threads.newThread(() -> closeThere(call[0]));
        call[0] = new InFlight("close", time.nanoTime(), thread);
        var timer = watchdog.after(limits.factoryClose().toNanos(), () -> {
            if (call[0].claim()) {
                tally.late.increment();
                LOG.warn("plugin {}: close of {} has not returned for {}", pluginId, name, limits.factoryClose());
                watchdog.settle(call[0]);
                end();
            }
        });
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            timer.cancel(false);
            LOG.warn("plugin {}: no thread to close {} with", pluginId, name, e);
            end();
        }
    }

    private void closeThere(InFlight call) {
        tally.made.increment();
        try {
            factory.close();
        } catch (Throwable e) {
            tally.failed.increment();
            LOG.warn("plugin {}: close of {} threw {}", pluginId, name, Words.of(e));
        }
        if (call.finish()) {
            end();
        }
    }

    private void end() {
        lane.close();
        ended.countDown();
    }

    @Override
    public Optional<String> trouble() {
        return lane.trouble().or(() -> closed.get() ? Optional.empty() : lie);
    }

    @Override
    public int overdue() {
        return lane.overdue();
    }

    @Override
    public BreakerState breaker() {
        return lane.breaker();
    }

    @Override
    public boolean gone() {
        return lane.gone();
    }
}
