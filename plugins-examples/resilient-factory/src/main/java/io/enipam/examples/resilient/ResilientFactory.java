package io.enipam.examples.resilient;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.Settings;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The factory {@code resilient}: another factory, spared.
 *
 * <p>A create passes the breaker ({@link ProviderCircuitBreaker}), then takes a token ({@link RateLimit}), then goes to the wrapped factory;
 * those of a batch that pass go together, in one call. One that does not pass is answered at once with the time after which it
 * is worth another try; the engine, which knows what is still wanted by then, tries again. Disposals pass always: they free
 * what others wait for. Lists are shared ({@link CoalescedList}).
 *
 * <p>Every outcome of the wrapped factory is passed on, whenever it comes: a create that succeeds after its deadline is a
 * resource that the engine must learn of.
 *
 * <p>Thread-safe, without threads of its own: stages complete on the wrapped factory's threads, or the caller's when refused.
 */
final class ResilientFactory implements ResourceFactory {
    /** Its name in {@code pool.factory}. */
    static final String NAME = "resilient";

    private static final Logger LOG = LoggerFactory.getLogger(ResilientFactory.class);

    private final ResourceFactory wrapped;
    private final String wraps;
    private final RateLimit rate;
    private final ProviderCircuitBreaker health;
    private final CoalescedList list;
    private final ResilienceCounters counts = new ResilienceCounters();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Capabilities capabilities;

    private ResilientFactory(ResourceFactory wrapped, Settings settings, Clock clock) {
        this.wrapped = wrapped;
        this.wraps = settings.get(ResilientSettings.WRAPS);
        MonotonicClock steady = new MonotonicClock(clock);
        this.rate = new RateLimit(settings, steady);
        this.health = new ProviderCircuitBreaker(settings, steady, clock);
        this.list = new CoalescedList(this::askedOfProvider, steady, settings.get(ResilientSettings.LIST_MAX_AGE));
        this.capabilities = bounded(wrapped.capabilities());
    }

    /** @throws FactoryException as the other's opening does; {@link ErrorKind#MISCONFIGURED} if it would wrap itself */
    static ResilientFactory open(PluginContext context) {
        Settings settings = context.settings();
        String wraps = settings.get(ResilientSettings.WRAPS);
        if (wraps.equals(NAME)) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, "wraps: " + NAME + " cannot wrap itself");
        }
        ResourceFactory wrapped = context.factory(wraps);
        try {
            return new ResilientFactory(wrapped, settings, context.clock());
        } catch (RuntimeException e) {
            wrapped.close();
            throw e;
        }
    }

    @Override
    public ResourceKind kind() {
        return wrapped.kind();
    }

    /** The wrapped factory's as of its opening or its last list, with batches no larger than a burst. */
    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        health.countOverdue();
        List<CompletableFuture<CreateResult>> outcomes = new ArrayList<>();
        List<CreateRequest> passing = new ArrayList<>();
        List<Passing> passed = new ArrayList<>();
        int waiting = 0;
        for (CreateRequest request : requests) {
            CompletableFuture<CreateResult> outcome = new CompletableFuture<>();
            outcomes.add(outcome);
            if (closed.get()) {
                outcome.complete(shut());
            } else if (!health.allows()) {
                counts.refusedByBreaker.increment();
                outcome.complete(brokenOff());
            } else if (!rate.tryTake()) {
                health.giveUp();
                counts.refusedByRate.increment();
                outcome.complete(tooMany(rate.waitOf(++waiting)));
            } else {
                passing.add(request);
                passed.add(new Passing(health.begin(request.deadline()), outcome));
            }
        }
        if (!passing.isEmpty()) {
            list.changed();
            List<CompletionStage<CreateResult>> stages = asked(() -> wrapped.create(passing), passing.size());
            for (int i = 0; i < passed.size(); i++) {
                Passing each = passed.get(i);
                whenSettled(stages.get(i), StageOutcome::failed, result -> created(each, result));
            }
        }
        return List.copyOf(outcomes);
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        if (closed.get()) {
            return resources.stream()
                    .map(r -> CompletableFuture.<DisposeResult>completedStage(shut()))
                    .toList();
        }
        list.changed();
        List<CompletionStage<DisposeResult>> outcomes = new ArrayList<>();
        for (CompletionStage<DisposeResult> stage : asked(() -> wrapped.dispose(resources), resources.size())) {
            CompletableFuture<DisposeResult> outcome = new CompletableFuture<>();
            outcomes.add(outcome);
            whenSettled(stage, StageOutcome::failed, result -> {
                list.changed();
                outcome.complete(result);
            });
        }
        return List.copyOf(outcomes);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        if (closed.get()) {
            return CompletableFuture.failedStage(new FactoryException(ErrorKind.UNAVAILABLE, shut().message()));
        }
        counts.listsAsked.increment();
        return list.get();
    }

    /** Closes what it wraps. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            wrapped.close();
        }
    }

    boolean isOpen() {
        return !closed.get();
    }

    /** {@code plugin run resilient-factory state}: the breaker, the tokens, and what happened since the factory was opened. */
    DiagnosticTable state() {
        CircuitBreaker.Metrics metrics = health.metrics();
        String last = health.lastFailure();
        return DiagnosticTable.of("WHAT", "VALUE")
                .row("wraps", wraps)
                .row("breaker", health.state().name())
                .row(
                        "breaker opens trials in",
                        health.state() == CircuitBreaker.State.OPEN ? seconds(health.waitLeft()) : "-")
                .row("failure rate", percent(metrics.getFailureRate()))
                .row("creates in the window", String.valueOf(metrics.getNumberOfBufferedCalls()))
                .row("last failure", last.isEmpty() ? "-" : last)
                .row("tokens left", rate.tokensLeft() + " of " + rate.burst())
                .row("under way", String.valueOf(health.underWay()))
                .row("created", counts.created.toString())
                .row("failed", counts.failed.toString())
                .row("answered after the deadline", counts.late.toString())
                .row("refused by the breaker", counts.refusedByBreaker.toString())
                .row("refused by the rate limit", counts.refusedByRate.toString())
                .row("lists asked for", counts.listsAsked.toString())
                .row("lists asked of the provider", counts.listsOfProvider.toString());
    }

    private static String seconds(Duration wait) {
        return String.format(Locale.ROOT, "%.1f s", wait.toMillis() / 1000.0);
    }

    /** The library says -1 while there are too few calls for a rate. */
    private static String percent(float percent) {
        return percent < 0 ? "-" : String.format(Locale.ROOT, "%.0f %%", percent);
    }

    private record Passing(ProviderCircuitBreaker.Call call, CompletableFuture<CreateResult> outcome) {}

    private void created(Passing passing, CreateResult result) {
        list.changed();
        (result instanceof Created ? counts.created : counts.failed).increment();
        if (!passing.call.finish(result)) {
            counts.late.increment();
        }
        passing.outcome.complete(result);
    }

    private CompletionStage<List<Resource>> askedOfProvider() {
        counts.listsOfProvider.increment();
        return wrapped.list().thenApply(resources -> {
            capabilities = bounded(wrapped.capabilities());
            return resources;
        });
    }

    private Capabilities bounded(Capabilities its) {
        return new Capabilities(
                its.families(), its.capacity(), Math.min(its.createBatch(), rate.burst()), its.replaysTokens());
    }

    private Failed brokenOff() {
        String last = health.lastFailure();
        return new Failed(
                ErrorKind.UNAVAILABLE,
                "the breaker around " + wraps + " is " + health.state() + "; last failure: " + last,
                health.waitLeft());
    }

    private Failed tooMany(Duration wait) {
        return new Failed(ErrorKind.THROTTLED, "more creates than the rate limit around " + wraps + " allows", wait);
    }

    private static Failed shut() {
        return Failed.of(ErrorKind.UNAVAILABLE, "the resilient factory is closed");
    }

    /** One stage for each item, whatever the wrapped factory does. */
    private <T> List<CompletionStage<T>> asked(Supplier<List<CompletionStage<T>>> call, int items) {
        RuntimeException problem;
        try {
            List<CompletionStage<T>> stages = call.get();
            if (stages != null && stages.size() == items) {
                return stages;
            }
            problem = new IllegalStateException(wraps + " answered " + items + " items with "
                    + (stages == null ? "null" : stages.size() + " stages"));
        } catch (RuntimeException e) {
            problem = e;
        }
        LOG.warn("the wrapped factory {} failed as a whole", wraps, problem);
        List<CompletionStage<T>> failed = new ArrayList<>();
        for (int i = 0; i < items; i++) {
            failed.add(CompletableFuture.failedStage(problem));
        }
        return failed;
    }

    private static <T> void whenSettled(
            @Nullable CompletionStage<T> stage, Function<Throwable, T> failed, Consumer<T> then) {
        if (stage == null) {
            then.accept(failed.apply(new IllegalStateException("it gave no stage")));
            return;
        }
        stage.whenComplete((value, problem) -> {
            if (problem != null) {
                then.accept(failed.apply(problem));
            } else if (value == null) {
                then.accept(failed.apply(new IllegalStateException("it gave no outcome")));
            } else {
                then.accept(value);
            }
        });
    }

    /** What happened since the factory was opened. Thread-safe. */
    static final class ResilienceCounters {
        final LongAdder created = new LongAdder();
        final LongAdder failed = new LongAdder();
        final LongAdder late = new LongAdder();
        final LongAdder refusedByBreaker = new LongAdder();
        final LongAdder refusedByRate = new LongAdder();
        final LongAdder listsAsked = new LongAdder();
        final LongAdder listsOfProvider = new LongAdder();
    }
}
