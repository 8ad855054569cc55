package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.Address;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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
    private final RandomSource chance;
    private final StaleRowRemover staleRows;
    private final PoolMembership supply;
    private final ProvisioningOutcomes outcomes;
    private final ResourceDisposer disposals;
    private final Set<Family> families;
    private final Duration timeout;
    /** Those that the pool counts on, by token. */
    private final Map<String, PendingCreate> underWay = new ConcurrentHashMap<>();

    /**
     * @param families what each resource shall have
     * @param timeout how long the factory may take for one
     */
    ResourceCreator(
            EngineContext engine,
            RandomSource chance,
            StaleRowRemover staleRows,
            PoolMembership supply,
            ResourceDisposer disposals,
            Set<Family> families,
            Duration timeout) {
        this.engine = engine;
        this.chance = chance;
        this.staleRows = staleRows;
        this.supply = supply;
        this.outcomes = supply.outcomes();
        this.disposals = disposals;
        this.families = families;
        this.timeout = timeout;
    }

    /**
     * Makes some of one factory.
     *
     * @param count how many, recorded already, at least 1
     * @param each called at each one's end in time: with nothing if it was made, else with the reason
     */
    void begin(NamedFactory maker, int count, Consumer<Optional<Failed>> each) {
        List<Create> creates = new ArrayList<>(count);
        List<Change> intents = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            RequestToken token = chance.token();
            Trace trace = engine.traces().begin(Trace.Operation.CREATE, TraceSink.Subject.named(token.value()));
            underWay.put(
                    token.value(),
                    new PendingCreate(
                            token.value(),
                            maker.name(),
                            engine.time().now(),
                            engine.time().now().plus(timeout)));
            creates.add(new Create(
                    maker,
                    new CreateRequest(token, families, engine.time().now().plus(timeout)),
                    engine.time().nanoTime(),
                    each,
                    trace,
                    trace.step("INTENT")));
            intents.add(new Change.PutIntent(new Intent(
                    token.value(), Intent.Action.CREATE, engine.time().now())));
        }
        Stages.call(() -> engine.db().commit(intents)).whenComplete((done, error) -> {
            if (error != null) {
                creates.forEach(create -> Stages.fail(create.intent(), error));
                Failed failed =
                        Failed.of(ErrorKind.UNAVAILABLE, "the database cannot be written: " + Stages.cause(error));
                creates.forEach(create -> failed(create, failed, true));
            } else {
                creates.forEach(create -> create.intent().done());
                ask(maker, creates);
            }
        });
    }

    /** One create under way. */
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
            String why = "factory " + maker.name() + " threw " + e;
            engine.events().error("FactoryRejected", maker.name(), why);
            Failed failed = Failed.of(ErrorKind.INTERNAL, why);
            creates.forEach(create -> failed(create, failed, true));
            return;
        }
        for (int i = 0; i < creates.size(); i++) {
            CompletionStage<CreateResult> stage = stages.get(i);
            if (stage == null) {
                engine.events()
                        .error(
                                "FactoryRejected",
                                maker.name(),
                                "factory " + maker.name() + " answered a create with null");
            }
            follow(creates.get(i), Stages.call(() -> stage));
        }
    }

    private void follow(Create create, CompletionStage<CreateResult> stage) {
        AtomicBoolean booked = new AtomicBoolean(true);
        Span factory =
                create.trace().step("FACTORY").with("factory", create.maker().name());
        Scheduler.Cancellable timer = engine.scheduler().after(timeout, () -> {
            if (booked.compareAndSet(true, false)) {
                Failed late = Failed.of(ErrorKind.DEADLINE_EXCEEDED, "no answer within " + timeout.toSeconds() + "s");
                factory.failed(late.kind().name(), late.message());
                failed(create, late, false);
            }
        });
        stage.whenComplete((result, error) -> {
            timer.cancel();
            boolean inTime = booked.compareAndSet(true, false);
            Optional<Failed> failed = failure(create, result, error);
            failed.ifPresentOrElse(why -> factory.failed(why.kind().name(), why.message()), factory::done);
            if (failed.isEmpty() && result instanceof Created created) {
                arrived(create, created.resource(), inTime);
            } else if (inTime) {
                failed(create, failed.orElseThrow(), true);
            } else {
                outcomes.answeredLate(create.maker().name());
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
            return Optional.of(nonsense(create, "nothing: null"));
        }
        if (!resource.kind().equals(create.maker().factory().kind())) {
            giveBack(create, resource);
            return Optional.of(nonsense(create, resource.id() + ", which is of the kind " + resource.kind()));
        }
        Set<Family> delivered =
                resource.addresses().stream().map(Address::family).collect(Collectors.toSet());
        if (!delivered.equals(create.request().families())) {
            giveBack(create, resource);
            return Optional.of(nonsense(
                    create,
                    resource.id() + " with " + delivered + ", asked for "
                            + create.request().families()));
        }
        return Optional.empty();
    }

    private Failed nonsense(Create create, String what) {
        engine.events()
                .error(
                        "FactoryRejected",
                        create.maker().name(),
                        "factory " + create.maker().name() + " delivered " + what + ": it is not used");
        return Failed.of(ErrorKind.INTERNAL, "the factory delivered " + what);
    }

    /** What was made and cannot be used goes back, unless it may have an owner. */
    private void giveBack(Create create, Resource resource) {
        if (supply.rival(resource).isEmpty()) {
            disposals.unwanted(resource.madeBy(create.maker().name()), () -> {});
        }
    }

    private Failed clash(Create create, Resource resource) {
        supply.rival(resource)
                .ifPresent(rival ->
                        ValidatedList.known(engine.events(), create.maker().name(), resource, rival));
        return Failed.of(
                ErrorKind.INTERNAL, "the factory delivered " + resource.id() + ", which is in the pool already");
    }

    /** What was asked for and has not come, oldest first. */
    List<PendingCreate> underWay() {
        return underWay.values().stream()
                .sorted(Comparator.comparing(PendingCreate::since).thenComparing(PendingCreate::token))
                .toList();
    }

    private void arrived(Create create, Resource delivered, boolean inTime) {
        underWay.remove(create.token());
        String maker = create.maker().name();
        Resource resource = delivered.madeBy(maker);
        create.trace().about(resource);
        switch (outcomes.created(maker, resource, inTime, engine.time().nanoTime() - create.begun())) {
            case TAKEN -> {
                engine.events()
                        .publish(
                                Event.Severity.INFO,
                                "ResourceCreated",
                                resource.id().value(),
                                "address " + AddressFormat.of(resource) + " joined the pool",
                                Map.of("parent", resource.parent(), "token", create.token(), "factory", maker));
                ended(create, Optional.empty(), inTime);
            }
            case NO_ROOM -> {
                engine.events()
                        .warning(
                                "ResourceUnwanted",
                                resource.id().value(),
                                "the address came after its deadline and there is no room for it: it goes back");
                disposals.unwanted(resource, () -> outcomes.answeredLate(maker));
                ended(create, Optional.empty(), inTime);
            }
            case LISTED, SUCCESSOR -> ended(create, Optional.empty(), inTime);
            case CLASH -> {
                supply.rival(resource).ifPresent(rival -> ValidatedList.clash(engine.events(), maker, resource, rival));
                ended(create, Optional.empty(), inTime);
            }
            case NOT_FREE ->
                ended(
                        create,
                        Optional.of(Failed.of(
                                ErrorKind.CONFLICT,
                                resource.id() + " came back before the pool was done with it: it is not lent")),
                        inTime);
            case KNOWN -> ended(create, Optional.of(clash(create, resource)), inTime);
        }
        forget(create.token());
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
