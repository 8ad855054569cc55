package io.enipam.daemon.plugin.guard;

import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A plugin's factory as the engine calls it: each call on a thread of the plugin's, each answer checked for its shape, and told
 * to the engine on the engine's own threads. Thread-safe; no method but {@link #close()} blocks.
 *
 * <p>A create or dispose that is not taken on in time leaves its items open: what the factory delivers late must still reach
 * the engine, which has deadlines of its own for every item. Whether ids and kinds make sense is the engine's to judge.
 */
final class GuardedFactory implements ResourceFactory {
    private static final Duration FRESH = Duration.ofSeconds(10);

    private final ResourceFactory factory;
    private final String name;
    private final String pluginId;
    private final PartGuard part;
    private final GuardLimits limits;
    private final PluginThreads threads;
    private final Scheduler scheduler;
    private final TimeSource time;
    private final Tally tally;
    private final ResourceKind kind;
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Capabilities capabilities;
    private volatile long askedAt;

    private GuardedFactory(
            ResourceFactory factory,
            String name,
            String pluginId,
            PartGuard part,
            GuardLimits limits,
            PluginThreads threads,
            Scheduler scheduler,
            TimeSource time,
            Tally tally,
            Portrait portrait) {
        this.factory = factory;
        this.name = name;
        this.pluginId = pluginId;
        this.part = part;
        this.limits = limits;
        this.threads = threads;
        this.scheduler = scheduler;
        this.time = time;
        this.tally = tally;
        this.kind = portrait.kind();
        this.capabilities = portrait.capabilities();
        this.askedAt = time.nanoTime();
    }

    /** What a factory says of itself. */
    private record Portrait(ResourceKind kind, Capabilities capabilities) {}

    static GuardedFactory wrap(
            ResourceFactory factory,
            String name,
            String pluginId,
            PartGuard part,
            GuardLimits limits,
            PluginThreads threads,
            Scheduler scheduler,
            TimeSource time,
            Tally tally) {
        CompletableFuture<Portrait> portrait = new CompletableFuture<>();
        threads.run(
                new PluginThreads.Task<>("describing factory " + name, limits.factoryCall(), () -> {
                    ResourceKind kind = factory.kind();
                    Capabilities able = factory.capabilities();
                    if (kind == null || able == null) {
                        throw new IllegalStateException("its kind or its capabilities are null");
                    }
                    return new Portrait(kind, able);
                }),
                Outcomes.into(portrait));
        try {
            return new GuardedFactory(
                    factory, name, pluginId, part, limits, threads, scheduler, time, tally, portrait.join());
        } catch (CompletionException e) {
            throw refusal("factory " + name + " of plugin " + pluginId + " does not say what it makes", e.getCause());
        }
    }

    @Override
    public ResourceKind kind() {
        return kind;
    }

    @Override
    public Capabilities capabilities() {
        if (time.nanoTime() - askedAt > FRESH.toNanos()) {
            refresh();
        }
        return capabilities;
    }

    /** Asks again in the background; an answer that does not come leaves the last one standing. */
    private CompletableFuture<Capabilities> refresh() {
        if (closed.get() || !refreshing.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(capabilities);
        }
        CompletableFuture<Capabilities> answer = new CompletableFuture<>();
        call("capabilities", limits.factoryCall(), factory::capabilities, answer);
        // one that is late leaves its answer open: the guard has counted it, and nobody may wait
        return answer.orTimeout(limits.factoryCall().toMillis(), TimeUnit.MILLISECONDS)
                .handle((fresh, error) -> {
                    if (error == null) {
                        capabilities = fresh;
                    }
                    askedAt = time.nanoTime();
                    refreshing.set(false);
                    return capabilities;
                });
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return items("create", requests.size(), () -> factory.create(requests), failed -> failed);
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return items("dispose", resources.size(), () -> factory.dispose(resources), failed -> failed);
    }

    private <R> List<CompletionStage<R>> items(
            String what, int count, Callable<List<CompletionStage<R>>> work, Function<Failed, R> asResult) {
        List<CompletableFuture<R>> results = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            results.add(new CompletableFuture<>());
        }
        if (!part.admits()) {
            tally.skipped.increment();
            R refused = asResult.apply(new Failed(
                    ErrorKind.UNAVAILABLE,
                    "plugin " + pluginId + " is not called now: " + part.trouble(),
                    limits.pause()));
            results.forEach(result -> result.complete(refused));
            return List.copyOf(results);
        }
        // linking belongs to the call: a stage is the plugin's object, and may hang like any other
        Callable<Boolean> linked = () -> {
            List<CompletionStage<R>> stages = work.call();
            if (stages == null || stages.size() != count) {
                throw new IllegalStateException("it answered " + (stages == null ? "null" : stages.size() + " stages")
                        + " to " + count + " items");
            }
            for (int i = 0; i < count; i++) {
                link(what, stages.get(i), results.get(i), asResult);
            }
            return true;
        };
        threads.run(new PluginThreads.Task<>(what, limits.factoryCall(), linked), new Outcomes<>(part, what, error -> {
            Failed failed = failed(what, error);
            scheduler.execute(() -> results.forEach(result -> result.complete(asResult.apply(failed))));
        }));
        return List.copyOf(results);
    }

    private <R> void link(
            String what,
            @Nullable CompletionStage<R> stage,
            CompletableFuture<R> result,
            Function<Failed, R> asResult) {
        if (stage == null) {
            // the others may deliver all the same
            tally.rejected.increment();
            R failed = asResult.apply(failed(what, new IllegalStateException("it answered a stage that is null")));
            scheduler.execute(() -> result.complete(failed));
            return;
        }
        stage.whenComplete((value, error) -> {
            R answer = value;
            if (error != null || answer == null) {
                tally.rejected.increment();
                answer = asResult.apply(
                        failed(what, error == null ? new IllegalStateException("a stage completed with null") : error));
            }
            R told = answer;
            scheduler.execute(() -> result.complete(told));
        });
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        CompletableFuture<List<Resource>> listed = new CompletableFuture<>();
        if (!part.admits()) {
            tally.skipped.increment();
            listed.completeExceptionally(new PluginException(
                    ErrorKind.UNAVAILABLE, "plugin " + pluginId + " is not called now: " + part.trouble()));
            return listed;
        }
        CompletableFuture<List<Resource>> answer = new CompletableFuture<>();
        threads.run(
                new PluginThreads.Task<>("list", limits.factoryCall(), () -> {
                    CompletionStage<List<Resource>> stage = factory.list();
                    if (stage == null) {
                        throw new IllegalStateException("it answered null");
                    }
                    stage.whenComplete((resources, error) -> {
                        if (error != null) {
                            answer.completeExceptionally(error);
                        } else if (resources == null) {
                            answer.completeExceptionally(new IllegalStateException("it listed null"));
                        } else {
                            // a copy: the plugin's list is the plugin's code
                            copied(resources).whenComplete((copy, strange) -> {
                                if (strange == null) {
                                    answer.complete(copy);
                                } else {
                                    answer.completeExceptionally(strange);
                                }
                            });
                        }
                    });
                    return true;
                }),
                new Outcomes<>(part, "list", answer::completeExceptionally));
        answer.orTimeout(limits.list().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((resources, error) -> scheduler.execute(() -> {
                    if (error == null) {
                        // what it can do may be known only now, and who lists asks for that next
                        refresh().whenComplete((able, trouble) -> scheduler.execute(() -> listed.complete(resources)));
                    } else {
                        listed.completeExceptionally(
                                refusal("factory " + name + " of plugin " + pluginId + " cannot be listed", error));
                    }
                }));
        return listed;
    }

    /** Never fails: whatever goes wrong with a list that is not what it says becomes an error of the answer. */
    private static CompletableFuture<List<Resource>> copied(List<Resource> listed) {
        try {
            List<Resource> copy = new ArrayList<>();
            for (Object one : (Iterable<?>) listed) {
                copy.add((Resource) one);
            }
            return CompletableFuture.completedFuture(copy);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <T> void call(String what, Duration deadline, Callable<T> work, CompletableFuture<T> answer) {
        if (!part.admits()) {
            tally.skipped.increment();
            answer.completeExceptionally(new PluginException(ErrorKind.UNAVAILABLE, part.trouble()));
            return;
        }
        threads.run(
                new PluginThreads.Task<>(what, deadline, () -> {
                    T value = work.call();
                    if (value == null) {
                        throw new IllegalStateException("it answered null");
                    }
                    answer.complete(value);
                    return true;
                }),
                new Outcomes<>(part, what, answer::completeExceptionally));
    }

    /** Waits for as long as the limits allow; a factory that does not end is left behind. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        CompletableFuture<Boolean> end = new CompletableFuture<>();
        threads.run(
                new PluginThreads.Task<>("closing factory " + name, limits.close(), () -> {
                    factory.close();
                    return true;
                }),
                Outcomes.into(end));
        try {
            end.get(limits.close().toMillis() + 1_000, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            tally.failed.increment();
        }
    }

    private Failed failed(String what, Throwable error) {
        Throwable cause = cause(error);
        ErrorKind kindOfError = cause instanceof FactoryException refused ? refused.kind() : ErrorKind.INTERNAL;
        return Failed.of(
                kindOfError, "factory " + name + " of plugin " + pluginId + " failed to " + what + ": " + said(cause));
    }

    private static PluginException refusal(String what, Throwable error) {
        Throwable cause = cause(error);
        ErrorKind kind = ErrorKind.INTERNAL;
        if (cause instanceof FactoryException refused) {
            kind = refused.kind();
        } else if (cause instanceof TimeoutException) {
            kind = ErrorKind.DEADLINE_EXCEEDED;
        }
        return new PluginException(kind, what + ": " + said(cause), cause);
    }

    private static String said(Throwable cause) {
        return cause instanceof FactoryException || cause instanceof IllegalStateException
                ? Words.line(cause.getMessage())
                : Words.of(cause);
    }

    private static Throwable cause(Throwable error) {
        Throwable cause = error;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
