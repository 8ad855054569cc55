package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives resources back to their factories: the intention is made durable, the maker is asked, and one that fails is tried
 * again by a deadline of its own. Thread-safe.
 */
final class ResourceDisposer {
    private final EngineContext engine;
    private final EventSink events;
    private final RandomSource random;
    private final StaleRowRemover staleRows;
    private final FactoryRegistry registry;
    private final ProvisioningOutcomes outcomes;
    private final Duration timeout;
    private final BooleanSupplier running;
    /** Those that failed and are tried again. */
    private final Map<ResourceKey, RetryState> retryStates = new ConcurrentHashMap<>();

    /** @param running false once the daemon stops: then nothing more is tried, and the next start goes on */
    ResourceDisposer(
            EngineContext engine,
            RandomSource random,
            StaleRowRemover staleRows,
            FactoryRegistry registry,
            ProvisioningOutcomes outcomes,
            Duration timeout,
            BooleanSupplier running) {
        this.engine = engine;
        this.events = engine.events();
        this.random = random;
        this.staleRows = staleRows;
        this.registry = registry;
        this.outcomes = outcomes;
        this.timeout = timeout;
        this.running = running;
    }

    /** @param intent the row in the database, if there is one: that of an earlier run may name another factory of the provider */
    private record Disposal(Resource resource, Intent intent, Trace trace, Runnable gone) {
        String id() {
            return resource.id().value();
        }
    }

    private Disposal disposal(Resource resource, Intent intent, Runnable gone) {
        TraceSink.Subject subject = TraceSink.Subject.named(resource.id().value());
        Trace trace = engine.traces().begin(Trace.Operation.DISPOSE, subject);
        trace.about(resource);
        return new Disposal(resource, intent, trace, gone);
    }

    private Disposal ofPool(Resource resource, Intent intent) {
        return disposal(resource, intent, () -> outcomes.disposed(resource));
    }

    private Intent intent(Resource resource) {
        return Intent.dispose(ResourceKey.of(resource), engine.time().now());
    }

    /** Begins to give back what the pool has recorded as {@code DISPOSING}. */
    void begin(List<Resource> resources) {
        write(resources.stream()
                .map(resource -> ofPool(resource, intent(resource)))
                .toList());
    }

    private void write(List<Disposal> disposals) {
        List<Span> spans =
                disposals.stream().map(one -> one.trace().step("INTENT")).toList();
        List<Change> intents = disposals.stream()
                .<Change>map(one -> new Change.PutIntent(one.intent()))
                .toList();
        Stages.call(() -> engine.db().commit(intents)).whenComplete((done, error) -> {
            if (error == null) {
                spans.forEach(Span::done);
                disposals.forEach(one -> dispose(one, 0));
                return;
            }
            spans.forEach(span -> Stages.fail(span, error));
            String why = "the database cannot be written: " + Stages.cause(error);
            disposals.forEach(one -> retry(one, 1, Failed.of(ErrorKind.UNAVAILABLE, why), () -> write(List.of(one))));
        });
    }

    Map<ResourceKey, RetryState> retryStates() {
        return Map.copyOf(retryStates);
    }

    /** Goes on with a disposal that is written down. */
    void resume(Resource resource, Intent written) {
        dispose(ofPool(resource, written), 0);
    }

    /** Gives back what never was in the pool. */
    void unwanted(Resource resource, Runnable gone) {
        outcomes.unwanted(resource);
        Disposal disposal = disposal(resource, intent(resource), () -> {
            outcomes.unwantedGone(resource);
            gone.run();
        });
        dispose(disposal, 0);
    }

    private void dispose(Disposal disposal, int failures) {
        Resource resource = disposal.resource();
        Trace trace = disposal.trace();
        if (!running.getAsBoolean()) {
            trace.failed("STOPPED", "the daemon stops; the next start goes on");
            return;
        }
        Span factory = trace.step("FACTORY").with("factory", resource.factory());
        Stages.within(
                        Stages.call(() -> registry.makerOf(resource)
                                .factory()
                                .dispose(List.of(resource))
                                .get(0)),
                        timeout,
                        engine.scheduler(),
                        () -> new IllegalStateException("no answer within " + timeout.toSeconds() + "s"))
                .whenComplete((result, error) -> {
                    if (isGone(resource, result)) {
                        factory.done();
                        trace.done();
                        String what = "address " + AddressFormat.of(resource) + " went back to where it came from";
                        over(disposal, "ResourceDisposed", what);
                        disposal.gone().run();
                        return;
                    }
                    Failed failed = failure(resource, result, error);
                    factory.failed(failed.kind().name(), failed.message());
                    if (failed.kind() == ErrorKind.CONFLICT && outcomes.keepForSiblings(resource)) {
                        String what = "the address stays: " + resource.parent()
                                + " has got others meanwhile, and goes with the last";
                        over(disposal, "ResourceKept", what);
                        trace.failed(failed.kind().name(), "it stays: its siblings came back");
                        return;
                    }
                    retry(disposal, failures + 1, failed, () -> dispose(disposal, failures + 1));
                });
    }

    private void over(Disposal disposal, String event, String what) {
        retryStates.remove(ResourceKey.of(disposal.resource()));
        staleRows.remove(List.of(new Change.RemoveIntent(disposal.intent().key())));
        events.info(event, disposal.id(), what);
    }

    private static boolean isGone(Resource resource, @Nullable DisposeResult result) {
        return result instanceof Disposed disposed
                ? resource.id().equals(disposed.id())
                : result instanceof Failed failed && failed.kind() == ErrorKind.NOT_FOUND;
    }

    private Failed failure(Resource resource, @Nullable DisposeResult result, @Nullable Throwable error) {
        if (result instanceof Failed failed) {
            return Provisioner.complete(failed);
        }
        if (error != null) {
            return Failed.of(ErrorKind.INTERNAL, "the factory failed with " + Stages.cause(error));
        }
        FactoryRegistry.reject(
                events, resource.factory(), "answered the disposal of " + resource.id() + " with " + result);
        return Failed.of(ErrorKind.INTERNAL, "the factory answered " + result + ", which is about another one");
    }

    private void retry(Disposal disposal, int failures, Failed failed, Runnable again) {
        Backoff backoff = failed.kind() == ErrorKind.CONFLICT ? RandomSource.OTHERS_FIRST : RandomSource.CLOUD;
        Duration pause = random.pause(backoff, failures, failed.retryAfter());
        String what =
                "the address could not be given back: " + failed.message() + "; next try in " + Backoff.text(pause);
        Map<String, String> details = Map.of("kind", failed.kind().name(), "failures", Integer.toString(failures));
        events.publish(Event.Severity.WARNING, "ResourceDisposeFailed", disposal.id(), what, details);
        Instant now = engine.time().now();
        retryStates.compute(
                ResourceKey.of(disposal.resource()),
                (key, before) -> new RetryState(
                        failures,
                        failed.kind(),
                        failed.message(),
                        now,
                        now.plus(pause),
                        before == null ? now : before.since()));
        engine.scheduler().after(pause, again);
    }
}
