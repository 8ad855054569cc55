package io.enipam.engine.pool;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Event;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Intent;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * Fills and drains the pool through its factory.
 *
 * <p>Whenever demand may have changed it asks the policy for a target, lets the pool book what that means, and starts it.
 * Looks are coalesced: many notices in a row make one look. Each create and each disposal then goes its own way: the
 * intention is made durable, the factory is asked, and the outcome of one item never waits for another's. A failed
 * disposal is retried by its own deadline; failed creates back off together, since the next create is not tied to the
 * one that failed.
 *
 * <p>A create that outlives its deadline is given up as far as the pool's count goes. If its resource arrives after all,
 * the pool takes it if there is room, else it is disposed of.
 *
 * <p>Thread-safe. {@code this} guards the back-off state and the random source.
 */
public final class Provisioner {
    private final TimeSource time;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final ResourceDb db;
    private final EventSink events;
    private final StaleRows staleRows;
    private final ResourceFactory factory;
    private final PolicyGuard policy;
    private final Set<Family> families;
    private final Duration createTimeout;

    private final AtomicBoolean lookDue = new AtomicBoolean();
    private volatile boolean running;
    private volatile ResourcePool pool;
    private int failuresInRow;
    private long createsNotBefore;
    private boolean wakeUpSet;

    /**
     * @param families what each resource shall have
     * @param createTimeout how long the factory may take for one create or one disposal
     */
    public Provisioner(
            TimeSource time,
            Scheduler scheduler,
            RandomGenerator random,
            ResourceDb db,
            EventSink events,
            StaleRows staleRows,
            ResourceFactory factory,
            PolicyGuard policy,
            Set<Family> families,
            Duration createTimeout) {
        this.time = time;
        this.scheduler = scheduler;
        this.random = random;
        this.db = db;
        this.events = events;
        this.staleRows = staleRows;
        this.factory = factory;
        this.policy = policy;
        this.families = families;
        this.createTimeout = createTimeout;
        this.createsNotBefore = time.nanoTime();
    }

    /** Begins to look after a pool. */
    public void start(ResourcePool pool) {
        this.pool = pool;
        running = true;
        look();
    }

    /** Begins nothing more. What was begun ends by itself, or is finished by the next start. */
    public void stop() {
        running = false;
    }

    /** Looks soon whether the pool needs more or fewer. Cheap; may be called as often as one likes. */
    public void look() {
        if (running && lookDue.compareAndSet(false, true)) {
            scheduler.execute(() -> {
                lookDue.set(false);
                lookNow();
            });
        }
    }

    private void lookNow() {
        if (!running) {
            return;
        }
        Target target = policy.builtIn() ? pool.supply().watermarks() : policy.target(pool.snapshot());
        Plan plan = pool.supply().plan(target, mayCreate());
        if (plan.creates() > 0) {
            create(plan.creates());
        }
        if (!plan.disposals().isEmpty()) {
            dispose(plan.disposals());
        }
        if (plan.unmet()) {
            wakeUpAfterBackoff();
        }
    }

    private void create(int count) {
        List<CreateRequest> requests = new ArrayList<>(count);
        List<Change> intents = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            RequestToken token = newToken();
            requests.add(new CreateRequest(token, families, time.now().plus(createTimeout)));
            intents.add(new Change.PutIntent(new Intent(token.value(), Intent.Action.CREATE, time.now())));
        }
        db.commit(intents).whenComplete((done, error) -> {
            if (error != null) {
                Failed failed =
                        Failed.of(ErrorKind.UNAVAILABLE, "the database cannot be written: " + Stages.cause(error));
                requests.forEach(request -> createFailed(request.token(), failed, true));
            } else {
                ask(requests);
            }
        });
    }

    private void ask(List<CreateRequest> requests) {
        List<CompletionStage<CreateResult>> stages;
        try {
            stages = factory.create(requests);
            if (stages.size() != requests.size()) {
                throw new IllegalStateException(
                        "the factory answered " + stages.size() + " of " + requests.size() + " requests");
            }
        } catch (RuntimeException | LinkageError e) {
            Failed failed = Failed.of(ErrorKind.INTERNAL, "the factory threw " + e);
            requests.forEach(request -> createFailed(request.token(), failed, true));
            return;
        }
        for (int i = 0; i < requests.size(); i++) {
            follow(requests.get(i), stages.get(i));
        }
    }

    private void follow(CreateRequest request, CompletionStage<CreateResult> stage) {
        AtomicBoolean booked = new AtomicBoolean(true);
        Scheduler.Cancellable timer = scheduler.after(createTimeout, () -> {
            if (booked.compareAndSet(true, false)) {
                Failed late =
                        Failed.of(ErrorKind.DEADLINE_EXCEEDED, "no answer within " + createTimeout.toSeconds() + "s");
                createFailed(request.token(), late, false);
            }
        });
        stage.whenComplete((result, error) -> {
            timer.cancel();
            boolean inTime = booked.compareAndSet(true, false);
            if (result instanceof Created created) {
                created(request.token(), created.resource(), inTime);
            } else if (inTime) {
                Failed failed = result instanceof Failed f
                        ? f
                        : Failed.of(
                                ErrorKind.INTERNAL,
                                "the factory failed with " + (error == null ? null : Stages.cause(error)));
                createFailed(request.token(), failed, true);
            } else {
                forget(request.token().value());
            }
        });
    }

    private void created(RequestToken token, Resource resource, boolean inTime) {
        synchronized (this) {
            failuresInRow = 0;
        }
        boolean taken = pool.supply().created(resource, inTime);
        forget(token.value());
        if (taken) {
            events.publish(
                    Event.Severity.INFO,
                    "ResourceCreated",
                    resource.id().value(),
                    "address " + resource.addresses().get(0).host() + " joined the pool",
                    Map.of("parent", resource.parent(), "token", token.value()));
        } else {
            events.warning(
                    "ResourceUnwanted",
                    resource.id().value(),
                    "the address came after its deadline and there is no room for it: it goes back");
            disposeOne(resource, 0);
        }
    }

    /** @param answered false if the factory may still deliver: then the intent stays until it does */
    private void createFailed(RequestToken token, Failed failed, boolean answered) {
        Duration pause;
        synchronized (this) {
            failuresInRow++;
            pause = Backoff.CLOUD.after(failuresInRow, failed.retryAfter(), random);
            createsNotBefore = Math.max(createsNotBefore, time.nanoTime() + pause.toNanos());
        }
        pool.supply().createFailed(failed.message());
        if (answered) {
            forget(token.value());
        }
        events.publish(
                Event.Severity.WARNING,
                "ResourceCreateFailed",
                token.value(),
                "no new address: " + failed.message() + "; next try in " + pause.toMillis() + " ms",
                Map.of("kind", failed.kind().name()));
        look();
    }

    private void dispose(List<Resource> resources) {
        List<Change> intents = new ArrayList<>(resources.size());
        for (Resource resource : resources) {
            intents.add(new Change.PutIntent(new Intent(resource.id().value(), Intent.Action.DISPOSE, time.now())));
        }
        db.commit(intents).whenComplete((done, error) -> {
            if (error == null) {
                resources.forEach(resource -> disposeOne(resource, 0));
            } else {
                Failed failed =
                        Failed.of(ErrorKind.UNAVAILABLE, "the database cannot be written: " + Stages.cause(error));
                resources.forEach(resource -> retryDispose(resource, 1, failed, () -> dispose(List.of(resource))));
            }
        });
    }

    /** Goes on with a disposal that was begun, and written down, before a restart. */
    public void resumeDisposal(Resource resource) {
        disposeOne(resource, 0);
    }

    private void disposeOne(Resource resource, int failures) {
        if (!running) {
            return;
        }
        CompletionStage<DisposeResult> stage = Stages.within(
                Stages.call(() -> factory.dispose(List.of(resource)).get(0)),
                createTimeout,
                scheduler,
                () -> new IllegalStateException("no answer within " + createTimeout.toSeconds() + "s"));
        stage.whenComplete((result, error) -> {
            boolean gone =
                    error == null && (!(result instanceof Failed failed) || failed.kind() == ErrorKind.NOT_FOUND);
            if (gone && result != null) {
                pool.supply().disposed(resource.id());
                forget(resource.id().value());
                events.info("ResourceDisposed", resource.id().value(), "the address went back to the cloud");
                return;
            }
            Failed failed = result instanceof Failed f
                    ? f
                    : Failed.of(
                            ErrorKind.INTERNAL,
                            "the factory failed with " + (error == null ? null : Stages.cause(error)));
            retryDispose(resource, failures + 1, failed, () -> disposeOne(resource, failures + 1));
        });
    }

    private void retryDispose(Resource resource, int failures, Failed failed, Runnable retry) {
        Duration pause;
        synchronized (this) {
            pause = Backoff.CLOUD.after(failures, failed.retryAfter(), random);
        }
        events.publish(
                Event.Severity.WARNING,
                "ResourceDisposeFailed",
                resource.id().value(),
                "the address could not be given back: " + failed.message() + "; next try in " + pause.toMillis()
                        + " ms",
                Map.of("kind", failed.kind().name(), "failures", Integer.toString(failures)));
        scheduler.after(pause, retry);
    }

    private void forget(String intent) {
        staleRows.remove(List.of(new Change.RemoveIntent(intent)));
    }

    private synchronized boolean mayCreate() {
        return time.nanoTime() - createsNotBefore >= 0;
    }

    private void wakeUpAfterBackoff() {
        Duration left;
        synchronized (this) {
            if (wakeUpSet) {
                return;
            }
            wakeUpSet = true;
            left = Duration.ofNanos(Math.max(1, createsNotBefore - time.nanoTime()));
        }
        scheduler.after(left, () -> {
            synchronized (this) {
                wakeUpSet = false;
            }
            look();
        });
    }

    private synchronized RequestToken newToken() {
        return new RequestToken(String.format("enipam-%016x%016x", random.nextLong(), random.nextLong()));
    }
}
