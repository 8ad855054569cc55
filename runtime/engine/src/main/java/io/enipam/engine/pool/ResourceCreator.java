package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes resources: the intent is made durable, the factory is asked, and each outcome is handled by itself. The pool
 * has recorded the creates before they come here.
 *
 * <p>The pool stops counting a create at its deadline. If its resource arrives after all, the pool takes it if the
 * capacity allows it, else it goes back. The factory's answer is validated: a resource of another kind, without the
 * requested families, or with the id of another one in the pool, is a failure.
 *
 * <p>Thread-safe.
 */
final class ResourceCreator {
    private final EngineContext engine;
    private final EventSink events;
    private final RandomSource random;
    private final StaleRowRemover staleRows;
    private final PoolMembership membership;
    private final ProvisioningOutcomes outcomes;
    private final ResourceDisposer disposals;
    private final Set<Family> families;
    private final Duration timeout;
    /** Those that the pool counts on, by token. */
    private final Map<String, PendingCreate> underWay = new ConcurrentHashMap<>();

    /** @param families what each resource shall have */
    ResourceCreator(
            EngineContext engine,
            RandomSource random,
            StaleRowRemover staleRows,
            ResourcePool pool,
            ResourceDisposer disposals,
            Set<Family> families,
            Duration timeout) {
        this.engine = engine;
        this.events = engine.events();
        this.random = random;
        this.staleRows = staleRows;
        this.membership = pool.membership();
        this.outcomes = pool.outcomes();
        this.disposals = disposals;
        this.families = families;
        this.timeout = timeout;
    }

    /**
     * @param count how many, recorded already, at least 1
     * @param each called at each one's end in time: with nothing if it was made, else with the reason
     */
    void begin(NamedFactory maker, int count, Consumer<Optional<Failed>> each) {
        Instant now = engine.time().now();
        List<Create> creates =
                Stream.generate(() -> create(maker, now, each)).limit(count).toList();
        List<Change> intents = creates.stream()
                .<Change>map(create ->
                        new Change.PutIntent(new Intent(create.token(), Intent.Action.CREATE, now, maker.name())))
                .toList();
        Stages.call(() -> engine.db().commit(intents)).whenComplete((done, error) -> {
            if (error == null) {
                creates.forEach(create -> create.intent().done());
                ask(maker, creates);
                return;
            }
            creates.forEach(create -> Stages.fail(create.intent(), error));
            failed(creates, ErrorKind.UNAVAILABLE, "the database cannot be written: " + Stages.cause(error));
        });
    }

    private Create create(NamedFactory maker, Instant now, Consumer<Optional<Failed>> each) {
        RequestToken token = random.token();
        Instant until = now.plus(timeout);
        Trace trace = engine.traces().begin(Trace.Operation.CREATE, TraceSink.Subject.named(token.value()));
        underWay.put(token.value(), new PendingCreate(token.value(), maker.name(), now, until));
        CreateRequest request = new CreateRequest(token, families, until);
        return new Create(maker, request, engine.time().nanoTime(), each, trace, trace.step("INTENT"));
    }

    private record Create(
            NamedFactory maker,
            CreateRequest request,
            long begun,
            Consumer<Optional<Failed>> each,
            Trace trace,
            Span intent) {
        String token() {
            return request.token().value();
        }
    }

    private void ask(NamedFactory maker, List<Create> creates) {
        List<CompletionStage<CreateResult>> stages;
        try {
            stages =
                    maker.factory().create(creates.stream().map(Create::request).toList());
            if (stages == null || stages.size() != creates.size()) {
                throw new IllegalStateException("the factory answered "
                        + (stages == null ? "null" : stages.size() + " of " + creates.size() + " requests"));
            }
        } catch (RuntimeException | LinkageError e) {
            FactoryRegistry.reject(events, maker.name(), "threw " + e);
            failed(creates, ErrorKind.INTERNAL, "factory " + maker.name() + " threw " + e);
            return;
        }
        for (int i = 0; i < creates.size(); i++) {
            CompletionStage<CreateResult> stage = stages.get(i);
            if (stage == null) {
                FactoryRegistry.reject(events, maker.name(), "answered a create with null");
            }
            follow(creates.get(i), Stages.call(() -> stage));
        }
    }

    private void follow(Create create, CompletionStage<CreateResult> stage) {
        AtomicBoolean counted = new AtomicBoolean(true);
        String maker = create.maker().name();
        Span factory = create.trace().step("FACTORY").with("factory", maker);
        Scheduler.Cancellable timer = engine.scheduler().after(timeout, () -> {
            if (counted.compareAndSet(true, false)) {
                Failed late = Failed.of(ErrorKind.DEADLINE_EXCEEDED, "no answer within " + timeout.toSeconds() + "s");
                factory.failed(late.kind().name(), late.message());
                failed(create, late, false);
            }
        });
        stage.whenComplete((result, error) -> {
            timer.cancel();
            boolean inTime = counted.compareAndSet(true, false);
            Optional<Failed> failed = failure(create, result, error);
            failed.ifPresentOrElse(why -> factory.failed(why.kind().name(), why.message()), factory::done);
            if (failed.isEmpty() && result instanceof Created created) {
                arrived(create, created.resource().madeBy(maker), inTime);
            } else if (inTime) {
                failed(create, failed.orElseThrow(), true);
            } else {
                outcomes.answeredLate(maker);
                forget(create.token());
            }
        });
    }

    /** Why an answer is no success; empty if it is one. */
    private Optional<Failed> failure(Create create, @Nullable CreateResult result, @Nullable Throwable error) {
        if (result instanceof Failed failed) {
            return Optional.of(Provisioner.complete(failed));
        }
        if (!(result instanceof Created created)) {
            return Optional.of(Failed.of(
                    ErrorKind.INTERNAL, "the factory failed with " + (error == null ? null : Stages.cause(error))));
        }
        Resource resource = created.resource();
        if (resource == null) {
            return nonsense(create, "nothing: null");
        }
        Optional<String> wrong = ValidatedList.objection(
                resource, create.maker().factory().kind(), create.request().families());
        if (wrong.isEmpty()) {
            return Optional.empty();
        }
        // what was made and cannot be used goes back, unless it may have an owner
        if (membership.rival(resource).isEmpty()) {
            disposals.unwanted(resource.madeBy(create.maker().name()), () -> {});
        }
        return nonsense(create, wrong.get());
    }

    private Optional<Failed> nonsense(Create create, String what) {
        FactoryRegistry.reject(events, create.maker().name(), "delivered " + what + ": it is not used");
        return Optional.of(Failed.of(ErrorKind.INTERNAL, "the factory delivered " + what));
    }

    List<PendingCreate> underWay() {
        return underWay.values().stream()
                .sorted(Comparator.comparing(PendingCreate::since).thenComparing(PendingCreate::token))
                .toList();
    }

    private void arrived(Create create, Resource resource, boolean inTime) {
        underWay.remove(create.token());
        create.trace().about(resource);
        ended(create, taken(create, resource, inTime), inTime);
        forget(create.token());
    }

    /** Why the pool could not take what was made, as a failure of the create. */
    private Optional<Failed> taken(Create create, Resource resource, boolean inTime) {
        String maker = create.maker().name();
        String id = resource.id().value();
        switch (outcomes.created(maker, resource, inTime, engine.time().nanoTime() - create.begun())) {
            case TAKEN -> {
                String joined = "address " + AddressFormat.of(resource) + " joined the pool";
                Map<String, String> details =
                        Map.of("parent", resource.parent(), "token", create.token(), "factory", maker);
                events.publish(Event.Severity.INFO, "ResourceCreated", id, joined, details);
            }
            case NO_CAPACITY -> {
                String why = "the address came after its deadline and there is no room for it: it goes back";
                events.warning("ResourceUnwanted", id, why);
                disposals.unwanted(resource, () -> outcomes.answeredLate(maker));
            }
            case LISTED, SUCCESSOR -> {}
            case CLASH -> membership.rival(resource).ifPresent(it -> ValidatedList.clash(events, maker, resource, it));
            case NOT_FREE -> {
                String why = id + " came back before the pool was done with it: it is not lent";
                return Optional.of(Failed.of(ErrorKind.CONFLICT, why));
            }
            case KNOWN -> {
                membership.rival(resource).ifPresent(it -> ValidatedList.known(events, maker, resource, it));
                String why = "the factory delivered " + id + ", which is in the pool already";
                return Optional.of(Failed.of(ErrorKind.INTERNAL, why));
            }
        }
        return Optional.empty();
    }

    private void failed(List<Create> creates, ErrorKind kind, String why) {
        creates.forEach(create -> failed(create, Failed.of(kind, why), true));
    }

    /** @param answered false if the factory may still deliver: then the intent stays until it does */
    private void failed(Create create, Failed failed, boolean answered) {
        underWay.remove(create.token());
        outcomes.createFailed(create.maker().name(), failed.message(), answered);
        if (answered) {
            forget(create.token());
        }
        ended(create, Optional.of(failed), true);
    }

    private static void ended(Create create, Optional<Failed> failed, boolean inTime) {
        failed.ifPresentOrElse(
                why -> create.trace().failed(why.kind().name(), why.message()),
                () -> create.trace().done());
        if (inTime) {
            create.each().accept(failed);
        }
    }

    private void forget(String intent) {
        staleRows.remove(List.of(new Change.RemoveIntent(intent)));
    }
}
