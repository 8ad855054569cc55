package io.enipam.pluginhost.guard;

import io.enipam.engine.pool.ValidatedList;
import io.enipam.platform.EngineThread;
import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import io.enipam.pluginhost.guard.PluginFailures.CallFailure;
import io.enipam.pluginhost.guard.PluginGuard.GuardContext;
import io.enipam.pluginhost.guard.PluginHealthTracker.GuardedPart;
import io.enipam.pluginhost.guard.ThreadPoolBulkhead.PluginTask;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An untrusted factory behind deadlines, a bulkhead and a circuit breaker.
 *
 * <p>Its methods run on the plugin's own threads, never on the caller's, and return at once. Outcomes travel the other
 * way: the plugin completes its stages on whatever thread it likes, and each outcome is checked there and handed to the
 * engine's threads. So neither side holds the other's locks or time.
 *
 * <p>A create or a disposal that hangs is interrupted and counted, but its items stay open: the engine has a deadline
 * for each of them, and takes or disposes of what is made late. Only the plugin may say that nothing was made. What the
 * guard itself fails is what the plugin has never seen, and what has an invalid answer.
 *
 * <p>Kind and capabilities are asked on the plugin's threads and remembered: when the factory is wrapped, after each
 * list, and in the background when they are read and are ten seconds old.
 */
final class GuardedFactory implements ResourceFactory, GuardedPart {
    private final ResourceFactory factory;
    private final PluginFailures failures;
    private final GuardContext context;
    private final ThreadPoolBulkhead lane;
    private final FactoryMetadataCache facts;
    private final GuardedItems items;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CompletableFuture<Void> closeReturned = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    GuardedFactory(ResourceFactory factory, String name, GuardContext context) {
        this.factory = factory;
        this.failures = new PluginFailures(context.pluginId(), name);
        this.context = context;
        this.lane = new ThreadPoolBulkhead("factory " + name, context);
        this.facts = new FactoryMetadataCache(factory, failures, context, lane);
        this.items = new GuardedItems(factory, failures, context, lane, this::kind);
        context.health().add(this);
    }

    /** Asks the factory for what it is, for the first time; see {@link FactoryMetadataCache#load}. */
    void introduce() {
        facts.load();
    }

    @Override
    public ResourceKind kind() {
        return facts.known().kind();
    }

    @Override
    public Capabilities capabilities() {
        if (!closed.get()) {
            facts.refresh();
        }
        return facts.known().capabilities();
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return items.create(requests);
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return items.dispose(resources);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        CompletableFuture<List<Resource>> listed = new CompletableFuture<>();
        AtomicBoolean returned = new AtomicBoolean();
        lane.send(
                new PluginTask(
                        "list",
                        () -> beginList(listed, returned),
                        thrown -> fail(listed, failures.threw("list", thrown)),
                        () -> {},
                        (why, retryAfter) -> fail(listed, failures.refused(why))),
                context.limits().factoryList());
        var timer = context.watchdog().after(context.limits().factoryList().toNanos(), () -> {
            if (!listed.isDone()) {
                if (returned.get()) {
                    String late =
                            "list did not complete within " + context.limits().factoryList();
                    context.tally().late(lane.part(), late);
                    lane.recordLateFailure(late);
                }
                fail(listed, failures.late("list", context.limits().factoryList()));
            }
        });
        return listed.whenComplete((resources, error) -> timer.cancel(false));
    }

    private Optional<CallFailure> beginList(CompletableFuture<List<Resource>> listed, AtomicBoolean returned) {
        CompletionStage<List<Resource>> stage = factory.list();
        returned.set(true);
        if (stage == null) {
            fail(listed, failures.rejected("list"));
            return Optional.of(CallFailure.rejected("list answered null"));
        }
        stage.whenComplete((resources, error) -> endList(listed, resources, error));
        return Optional.empty();
    }

    private void endList(
            CompletableFuture<List<Resource>> listed, @Nullable List<Resource> resources, @Nullable Throwable error) {
        if (error != null) {
            context.tally().threw(lane.part(), "list", error);
            fail(listed, failures.threw("list", error));
            return;
        }
        try {
            List<Resource> copy = List.copyOf(resources);
            if (!copy.stream().allMatch(GuardedItems::isValid)) {
                throw new NullPointerException("a resource lacks its id, kind or parent");
            }
            copy.stream()
                    .flatMap(resource -> ValidatedList.objection(resource, kind()).stream())
                    .findFirst()
                    .ifPresent(wrong -> items.countRejected("list has " + wrong));
            // what the factory can do may be known only now, and the engine asks for that after a list
            CompletableFuture<FactoryMetadataCache.FactoryMetadata> asked = new CompletableFuture<>();
            asked.whenComplete((answer, trouble) -> context.engine().execute(() -> listed.complete(copy)));
            facts.ask(asked);
        } catch (Throwable e) {
            context.tally().rejected(lane.part(), "list answered null or with null in it");
            lane.recordLateFailure("list answered null or with null in it");
            fail(listed, failures.rejected("list"));
        }
    }

    private void fail(CompletableFuture<?> future, FactoryException failure) {
        context.engine().execute(() -> future.completeExceptionally(failure));
    }

    /**
     * Closes the plugin's factory, once, on a thread of its own, and then its threads. Waits for that within its
     * deadline; an engine's thread does not wait.
     */
    @Override
    public void close() {
        beginClosing();
        if (!(Thread.currentThread() instanceof EngineThread)) {
            awaitEnd();
        }
    }

    /** Begins to close, unless that has happened, and does not wait. */
    void beginClosing() {
        if (closed.compareAndSet(false, true)) {
            lane.stop();
            GuardedClose.begin(this::closeThere, failures, context, this::end);
        }
    }

    private void closeThere() {
        try {
            factory.close();
        } finally {
            closeReturned.complete(null);
        }
    }

    /** Completes when the plugin's close has returned, however late. */
    CompletionStage<Void> closed() {
        return closeReturned.minimalCompletionStage();
    }

    @Override
    public Optional<String> trouble() {
        return lane.trouble().or(() -> closed.get() ? Optional.empty() : facts.kindMismatch());
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
    public boolean isClosed() {
        return closed.get();
    }

    @Override
    public boolean isRetired() {
        return lane.isRetired();
    }

    /** Waits for the end, within the deadline of a close and as long again. */
    private void awaitEnd() {
        try {
            ended.await(2 * context.limits().factoryClose().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end() {
        lane.close();
        ended.countDown();
    }

    /**
     * What a factory is and can do: asked on the plugin's threads and remembered, so that the engine is answered at once.
     * Its kind never changes; one that says otherwise is ignored. Thread-safe.
     */
    static final class FactoryMetadataCache {
        private static final long FRESH = TimeUnit.SECONDS.toNanos(10);

        private final ResourceFactory factory;
        private final PluginFailures failures;
        private final GuardContext context;
        private final ThreadPoolBulkhead lane;
        private final AtomicBoolean asking = new AtomicBoolean();
        private volatile Optional<FactoryMetadata> facts = Optional.empty();
        private volatile long factsAt;
        private volatile Optional<String> kindMismatch = Optional.empty();

        record FactoryMetadata(ResourceKind kind, Capabilities capabilities) {}

        FactoryMetadataCache(
                ResourceFactory factory, PluginFailures failures, GuardContext context, ThreadPoolBulkhead lane) {
            this.factory = factory;
            this.failures = failures;
            this.context = context;
            this.lane = lane;
        }

        FactoryMetadata known() {
            return facts.orElseThrow(
                    () -> new IllegalStateException("factory " + failures.name() + " was never introduced"));
        }

        /** Asks again in the background if the answers are ten seconds old. */
        void refresh() {
            if (context.time().nanoTime() - factsAt > FRESH && asking.compareAndSet(false, true)) {
                factsAt = context.time().nanoTime();
                CompletableFuture<FactoryMetadata> asked = new CompletableFuture<>();
                asked.whenComplete((answer, error) -> asking.set(false));
                ask(asked);
            }
        }

        /** How the factory contradicts itself, if it does. */
        Optional<String> kindMismatch() {
            return kindMismatch;
        }

        /**
         * Asks the factory for what it is, for the first time. Blocks, within the deadline of a call.
         *
         * @throws PluginCallException if it does not say
         */
        void load() {
            CompletableFuture<FactoryMetadata> first = new CompletableFuture<>();
            ask(first);
            try {
                // the deadline, and as long again for an answer that came with it
                first.get(2 * context.limits().factoryCall().toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof PluginCallException failure) {
                    throw failure;
                }
                throw new IllegalStateException(e.getCause());
            } catch (TimeoutException e) {
                throw failures.late("kind", context.limits().factoryCall());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw failures.refused("interrupted while it was opened");
            }
        }

        /** Asks anew; the future ends in any case, and the answer is kept before any code that waits for it runs. */
        void ask(CompletableFuture<FactoryMetadata> asked) {
            lane.send(
                    new PluginTask(
                            "capabilities",
                            () -> answered(asked),
                            thrown -> asked.completeExceptionally(failures.threw("capabilities", thrown)),
                            () -> asked.completeExceptionally(failures.late(
                                    "capabilities", context.limits().factoryCall())),
                            (why, retryAfter) -> asked.completeExceptionally(failures.refused(why))),
                    context.limits().factoryCall());
        }

        private Optional<CallFailure> answered(CompletableFuture<FactoryMetadata> asked) {
            @Nullable ResourceKind kind = factory.kind();
            @Nullable Capabilities capabilities = factory.capabilities();
            Optional<CallFailure> trouble = learn(kind, capabilities);
            trouble.ifPresentOrElse(
                    wrong -> asked.completeExceptionally(new PluginCallException(
                            PluginCallException.Reason.REJECTED, ErrorKind.INTERNAL, failures.says(wrong.text()))),
                    () -> asked.complete(known()));
            return trouble;
        }

        private Optional<CallFailure> learn(@Nullable ResourceKind kind, @Nullable Capabilities capabilities) {
            if (kind == null || capabilities == null) {
                return Optional.of(CallFailure.rejected(
                        "answered null to " + (kind == null ? "kind" : "capabilities") + " of " + failures.name()));
            }
            Optional<ResourceKind> before = facts.map(FactoryMetadata::kind);
            if (before.isPresent() && !before.get().equals(kind)) {
                String text = "factory " + failures.name() + " was of kind " + before.get() + " and now says " + kind;
                kindMismatch = Optional.of(text);
                context.health().update();
                return Optional.of(CallFailure.rejected(text));
            }
            facts = Optional.of(new FactoryMetadata(kind, capabilities));
            factsAt = context.time().nanoTime();
            if (kindMismatch.isPresent()) {
                kindMismatch = Optional.empty();
                context.health().update();
            }
            return Optional.empty();
        }
    }
}
