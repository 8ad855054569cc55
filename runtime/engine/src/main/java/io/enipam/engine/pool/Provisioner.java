package io.enipam.engine.pool;

import static io.enipam.engine.model.Event.Severity.ERROR;
import static io.enipam.engine.model.Event.Severity.INFO;
import static io.enipam.engine.model.Event.Severity.WARNING;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.pool.TargetDamper.Damped;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fills and drains the pool through its factories.
 *
 * <p>Whenever demand may have changed it asks the policy for a target, lets the pool record the creates and disposals
 * that follow, and starts them. Looks are coalesced: many notices in a row make one look. Each create and each disposal
 * then goes its own way ({@link ResourceCreator}, {@link ResourceDisposer}). Failed creates back off together, since
 * the next create is not tied to the one that failed. After a failure that an operator has to repair
 * ({@link ProvisioningBlock}) callers are refused at once, and the factory is asked rarely.
 *
 * <p>Thread-safe. {@code this} guards the back-off state.
 */
public final class Provisioner {
    /** Failures that end when something goes back. */
    private static final Set<ErrorKind> WANTS_CAPACITY =
            EnumSet.of(ErrorKind.QUOTA_EXHAUSTED, ErrorKind.ADDRESSES_EXHAUSTED, ErrorKind.CONFLICT);
    /** How far two readings of a clock lie apart that was set meanwhile. */
    private static final Duration CLOCK_STEP = Duration.ofSeconds(1);

    private static final Duration TELL_AGAIN = Duration.ofMinutes(10);

    private final EngineContext engine;
    private final EventSink events;
    private final RandomSource random;
    private final FactoryRegistry registry;
    private final PolicyGuard policy;
    private final ResourcePool pool;
    private final ProvisioningOutcomes outcomes;
    private final ResourceCreator pendingCreates;
    private final ResourceDisposer disposals;

    private final AtomicBoolean lookDue = new AtomicBoolean();
    /** The question after a target that is not answered yet. */
    private final AtomicReference<@Nullable Object> open = new AtomicReference<>();

    private final AtomicBoolean askAgain = new AtomicBoolean();
    private final TargetDamper damper;
    /** So many questions after a target in a row had no answer; by this. */
    private int unanswered;

    /** The next look that is due though nothing happens; by this. */
    private Optional<DueLook> dueLook = Optional.empty();

    private volatile boolean running;
    private int failuresInRow;
    /** Why nothing can be made until an operator repairs something, and when the last event said so. */
    private Optional<ErrorKind> blockedBy = Optional.empty();

    /** How the last create failed; empty after one that worked. */
    private Optional<RetryState> setback = Optional.empty();

    private long setbackNanos;

    private long toldNanos;
    private long createsNotBefore;

    /** @param at by {@code nanoTime} */
    private record DueLook(long at, Scheduler.Cancellable timer) {}

    /** @param createTimeout how long a factory may take for one create or one disposal */
    public Provisioner(
            EngineContext engine,
            StaleRowRemover staleRows,
            FactoryRegistry registry,
            PolicyGuard policy,
            ResourcePool pool,
            Set<Family> families,
            Duration createTimeout) {
        this.engine = engine;
        this.events = engine.events();
        this.random = new RandomSource(engine.random());
        this.registry = registry;
        this.policy = policy;
        this.pool = pool;
        this.outcomes = pool.outcomes();
        this.damper = new TargetDamper(engine.time(), engine.events());
        this.disposals =
                new ResourceDisposer(engine, random, staleRows, registry, outcomes, createTimeout, () -> running);
        this.pendingCreates = new ResourceCreator(engine, random, staleRows, pool, disposals, families, createTimeout);
        this.createsNotBefore = engine.time().nanoTime();
        outcomes.waitingSince(() -> pendingCreates().stream().findFirst().map(PendingCreate::since));
    }

    public void start() {
        running = true;
        evaluate();
    }

    /** Begins nothing more. What was begun ends by itself, or is finished by the next start. */
    public void stop() {
        running = false;
    }

    /** Looks soon whether the pool needs more or fewer. Cheap; may be called as often as one likes. */
    public void evaluate() {
        if (running && lookDue.compareAndSet(false, true)) {
            engine.scheduler().execute(() -> {
                lookDue.set(false);
                lookNow();
            });
        }
    }

    private void lookNow() {
        if (!running) {
            return;
        }
        if (policy.builtIn()) {
            carryOut(pool.membership().watermarks());
            askUnansweredLater();
            return;
        }
        Object question = new Object();
        if (!open.compareAndSet(null, question)) {
            // a policy that is late is asked once, however much happens meanwhile
            askAgain.set(true);
            return;
        }
        PoolSnapshot snapshot = pool.snapshot();
        policy.target(snapshot, answer -> {
            if (open.compareAndSet(question, null)) {
                Damped damped = damper.damped(policy.name(), answer.target(), snapshot);
                carryOut(damped.target());
                damped.again().ifPresent(this::lookAfter);
                synchronized (this) {
                    unanswered = answer.own() ? 0 : unanswered + 1;
                }
                askUnansweredLater();
                if (askAgain.getAndSet(false)) {
                    evaluate();
                }
            }
        });
    }

    /** A policy that was late once, or is kept from answering by its breaker, is asked again though no pod comes or goes. */
    private synchronized void askUnansweredLater() {
        if (unanswered > 0) {
            lookAfter(random.pause(RandomSource.POLICY, unanswered, Duration.ZERO));
        }
    }

    /** The pool is looked at after this time at the latest. */
    private synchronized void lookAfter(Duration pause) {
        long at = engine.time().nanoTime() + pause.toNanos();
        if (dueLook.filter(due -> due.at() - at <= 0).isPresent()) {
            return;
        }
        dueLook.ifPresent(due -> due.timer().cancel());
        Scheduler.Cancellable timer = engine.scheduler().after(pause, () -> {
            synchronized (this) {
                dueLook = Optional.empty();
            }
            evaluate();
        });
        dueLook = Optional.of(new DueLook(at, timer));
    }

    /** What is wrong with what the policy asks for; empty if nothing is, and for the built-in one. */
    public Optional<String> policyTrouble() {
        return policy.builtIn() ? Optional.empty() : damper.trouble();
    }

    /** Another policy is in force: pending answers of the former one are not waited for. */
    public void policyChanged() {
        open.set(null);
        damper.forget();
        synchronized (this) {
            unanswered = 0;
        }
        evaluate();
    }

    private void carryOut(Target target) {
        if (!running) {
            return;
        }
        ProvisioningPlan plan = pool.membership().plan(target, mayCreate());
        if (plan.creates() > 0) {
            registry.find(plan.maker())
                    .ifPresent(maker -> createFor(maker, plan.creates(), failure -> created(maker, failure)));
        }
        if (!plan.disposals().isEmpty()) {
            disposals.begin(plan.disposals());
        }
        if (plan.unmet()) {
            lookAfterBackoff();
        }
    }

    private void created(NamedFactory maker, Optional<Failed> failure) {
        if (!maker.name().equals(registry.active().name())) {
            // how a factory fares that is no longer asked says nothing of the one that is
            failure.ifPresent(failed ->
                    tell(INFO, maker, failed, "no late address of a factory that leaves: " + failed.message()));
        } else if (failure.isEmpty()) {
            worked(maker);
        } else if (ProvisioningBlock.raisedBy(failure.get().kind())) {
            blocked(maker, failure.get());
        } else {
            failed(maker, failure.get());
        }
    }

    private void tell(Event.Severity severity, NamedFactory maker, Failed failed, String message) {
        events.publish(
                severity,
                "ResourceCreateFailed",
                maker.name(),
                message,
                Map.of("kind", failed.kind().name()));
    }

    private void worked(NamedFactory maker) {
        Optional<ErrorKind> mended;
        synchronized (this) {
            mended = blockedBy;
            forgetFailures();
        }
        String what = "factory " + maker.name() + " makes addresses again";
        mended.ifPresent(
                kind -> events.publish(INFO, "ResourceCreateResumed", maker.name(), what, Map.of("kind", kind.name())));
    }

    private synchronized void forgetFailures() {
        failuresInRow = 0;
        blockedBy = Optional.empty();
        setback = Optional.empty();
    }

    /** Until an operator repairs something: callers are refused, one event says so, one try a minute. */
    private void blocked(NamedFactory maker, Failed failed) {
        Duration pause;
        long until;
        boolean news;
        synchronized (this) {
            long now = engine.time().nanoTime();
            pause = random.pause(RandomSource.REPAIR, 1, failed.retryAfter());
            setBack(failed, pause);
            until = createsNotBefore;
            news = !blockedBy.equals(Optional.of(failed.kind())) || now - toldNanos >= TELL_AGAIN.toNanos();
            blockedBy = Optional.of(failed.kind());
            toldNanos = news ? now : toldNanos;
        }
        if (news) {
            String again =
                    "; it is tried again about once a minute, and told again in " + TELL_AGAIN.toMinutes() + " min";
            tell(ERROR, maker, failed, "no new address: " + failed.message() + again);
        }
        outcomes.block(maker, failed, until);
        evaluate();
    }

    private void failed(NamedFactory maker, Failed failed) {
        Duration pause;
        synchronized (this) {
            failuresInRow++;
            pause = random.pause(RandomSource.CLOUD, failuresInRow, failed.retryAfter());
            setBack(failed, pause);
        }
        tell(WARNING, maker, failed, "no new address: " + failed.message() + "; next try in " + Backoff.text(pause));
        evaluate();
    }

    /** With the lock held. Creates that fail together are one failure. */
    private void setBack(Failed failed, Duration pause) {
        Instant now = engine.time().now();
        long nanos = engine.time().nanoTime();
        createsNotBefore = Math.max(createsNotBefore, nanos + pause.toNanos());
        Optional<RetryState> before = createRetryState();
        setbackNanos = nanos;
        setback = Optional.of(new RetryState(
                before.map(RetryState::failures).orElse(0) + 1,
                failed.kind(),
                failed.message(),
                now,
                now.plusNanos(createsNotBefore - nanos),
                before.map(RetryState::since).orElse(now)));
    }

    /** How the last create failed and when the next one is tried; empty after one that worked. */
    public synchronized Optional<RetryState> createRetryState() {
        return setback.map(known -> {
            Instant at = engine.time().now().minusNanos(engine.time().nanoTime() - setbackNanos);
            Duration jump = Duration.between(known.at(), at);
            return jump.abs().compareTo(CLOCK_STEP) < 0 ? known : known.movedBy(jump);
        });
    }

    /** What was asked for and has not come, oldest first. */
    public List<PendingCreate> pendingCreates() {
        return pendingCreates.underWay();
    }

    public Map<ResourceKey, RetryState> disposals() {
        return disposals.retryStates();
    }

    /** Makes the first resources of a factory that is about to take over; they are recorded already. */
    void createFor(NamedFactory next, int count, Consumer<Optional<Failed>> each) {
        pendingCreates.begin(next, count, each);
    }

    /** Another factory makes what is made from now on: the failures of the one before do not count against it. */
    void changed() {
        outcomes.unblock();
        synchronized (this) {
            forgetFailures();
            createAtOnce();
        }
        evaluate();
    }

    /**
     * Something went, or there may be more than before: a create that failed for lack of capacity is tried again at
     * once. Other failures keep their back-off.
     */
    public void capacityFreed() {
        synchronized (this) {
            if (blockedBy.isPresent()
                    || setback.filter(it -> WANTS_CAPACITY.contains(it.kind())).isEmpty()) {
                return;
            }
            createAtOnce();
        }
        evaluate();
    }

    /** A person wants creates tried now, whatever the back-off. A failure is over once a create works. */
    public void retryNow() {
        outcomes.unblock();
        createAtOnce();
        evaluate();
    }

    private synchronized void createAtOnce() {
        createsNotBefore = engine.time().nanoTime();
    }

    public void resumeDisposal(Resource resource, Intent written) {
        disposals.resume(resource, written);
    }

    /** Gives back what a factory has and the pool did not ask for. */
    public void giveBack(Resource resource) {
        disposals.unwanted(resource, () -> {});
    }

    /** A span of time, up to a tenth shorter or longer, so that a thousand nodes do not ask the cloud in one second. */
    public Duration jitter(Duration span) {
        return jitter(span, 0.1);
    }

    public Duration jitter(Duration span, double part) {
        return random.jitter(span, part);
    }

    /** A failure with what its factory left out filled in: the author of a factory may not mind nulls. */
    static Failed complete(Failed failed) {
        return new Failed(
                Objects.requireNonNullElse(failed.kind(), ErrorKind.INTERNAL),
                Objects.requireNonNullElse(failed.message(), "the factory gives no reason"),
                Objects.requireNonNullElse(failed.retryAfter(), Duration.ZERO));
    }

    private synchronized boolean mayCreate() {
        return engine.time().nanoTime() - createsNotBefore >= 0;
    }

    private synchronized void lookAfterBackoff() {
        lookAfter(Duration.ofNanos(Math.max(1, createsNotBefore - engine.time().nanoTime())));
    }

    /**
     * What the pool wants of its factory now, recorded already.
     *
     * @param unmet whether it would create more, were creates not backing off
     */
    record ProvisioningPlan(String maker, int creates, List<Resource> disposals, boolean unmet) {}

    /**
     * Why nothing can be made until an operator changes something. While it lasts, callers that would have to wait
     * for a create are refused.
     *
     * @param maker the factory that said so
     * @param since when it said so first
     * @param untilNanos when the next create is tried
     */
    record ProvisioningBlock(NamedFactory maker, Failed failed, Instant since, long untilNanos) {
        /** Whether waiting for the next try is of no use, by the factory's answer. */
        static boolean raisedBy(ErrorKind kind) {
            return kind == ErrorKind.MISCONFIGURED || kind == ErrorKind.UNAUTHORIZED;
        }
    }
}
