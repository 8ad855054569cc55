package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives resources back to their makers: the intention is made durable, the maker is asked, and one that fails is tried
 * again by a deadline of its own. Thread-safe.
 */
final class ResourceDisposer {
    private final EngineContext engine;
    private final RandomSource chance;
    private final StaleRowRemover staleRows;
    private final FactoryRegistry roster;
    private final ProvisioningOutcomes outcomes;
    private final Duration timeout;
    private final BooleanSupplier running;
    /** Those that failed and are tried again. */
    private final Map<ResourceId, RetryState> retryStates = new ConcurrentHashMap<>();

    /** @param running false once the daemon stops: then nothing more is tried, and the next start goes on */
    ResourceDisposer(
            EngineContext engine,
            RandomSource chance,
            StaleRowRemover staleRows,
            FactoryRegistry roster,
            PoolMembership supply,
            Duration timeout,
            BooleanSupplier running) {
        this.engine = engine;
        this.chance = chance;
        this.staleRows = staleRows;
        this.roster = roster;
        this.outcomes = supply.outcomes();
        this.timeout = timeout;
        this.running = running;
    }

    private Trace told(Resource resource) {
        Trace trace = engine.traces()
                .begin(
                        Trace.Operation.DISPOSE,
                        TraceSink.Subject.named(resource.id().value()));
        trace.about(resource);
        return trace;
    }

    /** Begins to give back what the pool has recorded as {@code DISPOSING}. */
    void begin(List<Resource> resources) {
        write(resources.stream()
                .map(resource -> new Leaving(resource, told(resource)))
                .toList());
    }

    /** What is on its way back, with its trace. */
    private record Leaving(Resource resource, Trace trace) {}

    private void write(List<Leaving> leaving) {
        List<Span> told =
                leaving.stream().map(one -> one.trace().step("INTENT")).toList();
        List<Change> intents = new ArrayList<>(leaving.size());
        for (Leaving one : leaving) {
            intents.add(new Change.PutIntent(new Intent(
                    one.resource().id().value(),
                    Intent.Action.DISPOSE,
                    engine.time().now())));
        }
        Stages.call(() -> engine.db().commit(intents)).whenComplete((done, error) -> {
            if (error == null) {
                told.forEach(Span::done);
                leaving.forEach(one -> resume(one.resource(), one.trace()));
            } else {
                told.forEach(span -> Stages.fail(span, error));
                Failed failed =
                        Failed.of(ErrorKind.UNAVAILABLE, "the database cannot be written: " + Stages.cause(error));
                leaving.forEach(one -> retry(one.resource(), 1, failed, () -> write(List.of(one))));
            }
        });
    }

    /** What failed to go back, and when it is tried again. */
    Map<ResourceId, RetryState> retryStates() {
        return Map.copyOf(retryStates);
    }

    /** Goes on with a disposal that is written down. */
    void resume(Resource resource) {
        resume(resource, told(resource));
    }

    private void resume(Resource resource, Trace trace) {
        dispose(resource, 0, trace, () -> outcomes.disposed(resource.id()));
    }

    /** Gives back what never was in the pool. */
    void unwanted(Resource resource, Runnable gone) {
        outcomes.unwanted(resource.id());
        dispose(resource, 0, told(resource), () -> {
            outcomes.unwantedGone(resource.id());
            gone.run();
        });
    }

    private void dispose(Resource resource, int failures, Trace trace, Runnable gone) {
        if (!running.getAsBoolean()) {
            trace.failed("STOPPED", "the daemon stops; the next start goes on");
            return;
        }
        Span factory = trace.step("FACTORY").with("factory", resource.factory());
        CompletionStage<DisposeResult> stage = Stages.within(
                Stages.call(() -> roster.makerOf(resource)
                        .factory()
                        .dispose(List.of(resource))
                        .get(0)),
                timeout,
                engine.scheduler(),
                () -> new IllegalStateException("no answer within " + timeout.toSeconds() + "s"));
        stage.whenComplete((result, error) -> {
            if (isGone(resource, result)) {
                factory.done();
                trace.done();
                retryStates.remove(resource.id());
                staleRows.remove(List.of(new Change.RemoveIntent(resource.id().value())));
                engine.events()
                        .info(
                                "ResourceDisposed",
                                resource.id().value(),
                                "address " + AddressFormat.of(resource) + " went back to where it came from");
                gone.run();
                return;
            }
            Failed failed = failure(resource, result, error);
            factory.failed(failed.kind().name(), failed.message());
            if (failed.kind() == ErrorKind.CONFLICT && outcomes.keepForSiblings(resource.id())) {
                retryStates.remove(resource.id());
                staleRows.remove(List.of(new Change.RemoveIntent(resource.id().value())));
                engine.events()
                        .info(
                                "ResourceKept",
                                resource.id().value(),
                                "the address stays: " + resource.parent()
                                        + " has got others meanwhile, and goes with the last");
                trace.failed(failed.kind().name(), "it stays: its siblings came back");
                return;
            }
            retry(resource, failures + 1, failed, () -> dispose(resource, failures + 1, trace, gone));
        });
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
        if (error == null) {
            engine.events()
                    .error(
                            "FactoryRejected",
                            resource.factory(),
                            "factory " + resource.factory() + " answered the disposal of " + resource.id() + " with "
                                    + result);
        }
        return Failed.of(
                ErrorKind.INTERNAL,
                error == null
                        ? "the factory answered " + result + ", which is about another one"
                        : "the factory failed with " + Stages.cause(error));
    }

    private void retry(Resource resource, int failures, Failed failed, Runnable again) {
        Backoff backoff = failed.kind() == ErrorKind.CONFLICT ? RandomSource.OTHERS_FIRST : RandomSource.CLOUD;
        Duration pause = chance.pause(backoff, failures, failed.retryAfter());
        engine.events()
                .publish(
                        Event.Severity.WARNING,
                        "ResourceDisposeFailed",
                        resource.id().value(),
                        "the address could not be given back: " + failed.message() + "; next try in " + pause.toMillis()
                                + " ms",
                        Map.of("kind", failed.kind().name(), "failures", Integer.toString(failures)));
        Instant now = engine.time().now();
        RetryState before = retryStates.get(resource.id());
        retryStates.put(
                resource.id(),
                new RetryState(
                        failures,
                        failed.kind(),
                        failed.message(),
                        now,
                        now.plus(pause),
                        before == null ? now : before.since()));
        engine.scheduler().after(pause, again);
    }
}
