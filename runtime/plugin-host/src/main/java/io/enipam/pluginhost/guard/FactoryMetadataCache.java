package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.guard.PluginFailures.CallFailure;
import io.enipam.pluginhost.guard.PluginGuard.GuardContext;
import io.enipam.pluginhost.guard.ThreadPoolBulkhead.PluginTask;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What a factory is and can do: asked on the plugin's threads and remembered, so that the engine is answered at once.
 * Its kind never changes; one that says otherwise is ignored. Thread-safe.
 */
final class FactoryMetadataCache {
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
                        () -> asked.completeExceptionally(
                                failures.late("capabilities", context.limits().factoryCall())),
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
