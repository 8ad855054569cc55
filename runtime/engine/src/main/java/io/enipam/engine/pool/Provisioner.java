package io.enipam.engine.pool;

import io.enipam.engine.model.Event;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.pool.PoolView.PendingCreate;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.EngineContext;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
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
    private static final Set<ErrorKind> WANTS_ROOM =
            EnumSet.of(ErrorKind.QUOTA_EXHAUSTED, ErrorKind.ADDRESSES_EXHAUSTED, ErrorKind.CONFLICT);
    /** How far two readings of a clock lie apart that was set meanwhile. */
    private static final Duration CLOCK_STEP = Duration.ofSeconds(1);

    private static final Duration TELL_AGAIN = Duration.ofMinutes(10);

    private final EngineContext engine;
    private final RandomSource chance;
    private final FactoryRegistry roster;
    private final PolicyGuard policy;
    private final ResourcePool pool;
    private final ResourceCreator pendingCreates;
    private final ResourceDisposer disposals;

    private final AtomicBoolean lookDue = new AtomicBoolean();
    /** The question after a target that is not answered yet. */
    private final AtomicReference<@Nullable Object> open = new AtomicReference<>();

    private final AtomicBoolean askAgain = new AtomicBoolean();
    private volatile boolean running;
    private int failuresInRow;
    /** Why nothing can be made until an operator repairs something, and when the last event said so. */
    private Optional<ErrorKind> blockedBy = Optional.empty();

    /** How the last create failed; empty after one that worked. */
    private Optional<RetryState> setback = Optional.empty();

    private long setbackNanos;

    private long toldNanos;
    private long createsNotBefore;
    private Optional<Scheduler.Cancellable> wakeUp = Optional.empty();

    /**
     * @param families what each resource shall have
     * @param createTimeout how long a factory may take for one create or one disposal
     */
    public Provisioner(
            EngineContext engine,
            StaleRowRemover staleRows,
            FactoryRegistry roster,
            PolicyGuard policy,
            ResourcePool pool,
            Set<Family> families,
            Duration createTimeout) {
        this.engine = engine;
        this.chance = new RandomSource(engine.random());
        this.roster = roster;
        this.policy = policy;
        this.pool = pool;
        this.disposals = new ResourceDisposer(
                engine, chance, staleRows, roster, pool.membership(), createTimeout, () -> running);
        this.pendingCreates =
                new ResourceCreator(engine, chance, staleRows, pool.membership(), disposals, families, createTimeout);
        this.createsNotBefore = engine.time().nanoTime();
        pool.membership()
                .outcomes()
                .waitingSince(
                        () -> pendingCreates.underWay().stream().findFirst().map(PendingCreate::since));
    }

    /** Begins to look after the pool. */
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
            return;
        }
        Object question = new Object();
        if (!open.compareAndSet(null, question)) {
            // a policy that is late is asked once, however much happens meanwhile
            askAgain.set(true);
            return;
        }
        policy.target(pool.snapshot(), target -> {
            if (open.compareAndSet(question, null)) {
                carryOut(target);
                if (askAgain.getAndSet(false)) {
                    evaluate();
                }
            }
        });
    }

    /** Another policy is in force: pending answers of the former one are not waited for. */
    public void policyChanged() {
        open.set(null);
        evaluate();
    }

    private void carryOut(Target target) {
        if (!running) {
            return;
        }
        ProvisioningPlan plan = pool.membership().plan(target, mayCreate());
        if (plan.creates() > 0) {
            roster.find(plan.maker())
                    .ifPresent(
                            maker -> pendingCreates.begin(maker, plan.creates(), failure -> created(maker, failure)));
        }
        if (!plan.disposals().isEmpty()) {
            disposals.begin(plan.disposals());
        }
        if (plan.unmet()) {
            wakeUpAfterBackoff();
        }
    }

    private void created(NamedFactory maker, Optional<Failed> failure) {
        if (!maker.name().equals(roster.active().name())) {
            // how a factory fares that is no longer asked says nothing of the one that is
            failure.ifPresent(failed -> engine.events()
                    .publish(
                            Event.Severity.INFO,
                            "ResourceCreateFailed",
                            maker.name(),
                            "no late address of a factory that leaves: " + failed.message(),
                            Map.of("kind", failed.kind().name())));
            return;
        }
        if (failure.isEmpty()) {
            worked(maker);
        } else if (ProvisioningBlock.raisedBy(failure.get().kind())) {
            blocked(maker, failure.get());
        } else {
            failed(maker, failure.get());
        }
    }

    private void worked(NamedFactory maker) {
        Optional<ErrorKind> mended;
        synchronized (this) {
            failuresInRow = 0;
            mended = blockedBy;
            setback = Optional.empty();
            blockedBy = Optional.empty();
        }
        mended.ifPresent(kind -> engine.events()
                .publish(
                        Event.Severity.INFO,
                        "ResourceCreateResumed",
                        maker.name(),
                        "factory " + maker.name() + " makes addresses again",
                        Map.of("kind", kind.name())));
    }

    /**
     * An operator has to repair something: callers are refused at once, one event says so, and the factory is asked
     * once a minute.
     */
    private void blocked(NamedFactory maker, Failed failed) {
        Duration pause;
        long until;
        boolean news;
        synchronized (this) {
            long now = engine.time().nanoTime();
            pause = chance.pause(RandomSource.REPAIR, 1, failed.retryAfter());
            // creates that fail together are one failure
            createsNotBefore = Math.max(createsNotBefore, now + pause.toNanos());
            until = createsNotBefore;
            setBack(failed);
            news = !blockedBy.equals(Optional.of(failed.kind())) || now - toldNanos >= TELL_AGAIN.toNanos();
            blockedBy = Optional.of(failed.kind());
            if (news) {
                toldNanos = now;
            }
        }
        if (news) {
            engine.events()
                    .publish(
                            Event.Severity.ERROR,
                            "ResourceCreateFailed",
                            maker.name(),
                            "no new address: " + failed.message()
                                    + "; it is tried again about once a minute, and told again in "
                                    + TELL_AGAIN.toMinutes()
                                    + " min",
                            Map.of("kind", failed.kind().name()));
        }
        pool.membership().outcomes().block(failed, until);
        evaluate();
    }

    private void failed(NamedFactory maker, Failed failed) {
        Duration pause;
        synchronized (this) {
            failuresInRow++;
            pause = chance.pause(RandomSource.CLOUD, failuresInRow, failed.retryAfter());
            createsNotBefore = Math.max(createsNotBefore, engine.time().nanoTime() + pause.toNanos());
            setBack(failed);
        }
        engine.events()
                .publish(
                        Event.Severity.WARNING,
                        "ResourceCreateFailed",
                        maker.name(),
                        "no new address: " + failed.message() + "; next try in " + pause.toMillis() + " ms",
                        Map.of("kind", failed.kind().name()));
        evaluate();
    }

    /** With the lock held, once it is known when the next try is. */
    private void setBack(Failed failed) {
        Instant now = engine.time().now();
        Optional<RetryState> before = createRetryState();
        int failures = before.map(RetryState::failures).orElse(0) + 1;
        setbackNanos = engine.time().nanoTime();
        setback = Optional.of(new RetryState(
                failures,
                failed.kind(),
                failed.message(),
                now,
                now.plusNanos(createsNotBefore - engine.time().nanoTime()),
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

    /** What failed to go back, and when it is tried again. */
    public Map<ResourceId, RetryState> disposals() {
        return disposals.retryStates();
    }

    /** Makes the first resources of a factory that is about to take over; they are recorded already. */
    void createFor(NamedFactory next, int count, Consumer<Optional<Failed>> each) {
        pendingCreates.begin(next, count, each);
    }

    /** Another factory makes what is made from now on: the failures of the one before do not count against it. */
    void changed() {
        pool.membership().outcomes().unblock();
        synchronized (this) {
            failuresInRow = 0;
            blockedBy = Optional.empty();
            setback = Optional.empty();
            createsNotBefore = engine.time().nanoTime();
            wakeUp.ifPresent(Scheduler.Cancellable::cancel);
            wakeUp = Optional.empty();
        }
        evaluate();
    }

    /**
     * Something went, or there may be more than before: a create that failed for lack of capacity is tried again at
     * once. Other failures keep their back-off.
     */
    public void roomFreed() {
        synchronized (this) {
            if (blockedBy.isPresent()
                    || setback.filter(it -> WANTS_ROOM.contains(it.kind())).isEmpty()) {
                return;
            }
            createsNotBefore = engine.time().nanoTime();
            wakeUp.ifPresent(Scheduler.Cancellable::cancel);
            wakeUp = Optional.empty();
        }
        evaluate();
    }

    /** Goes on with a disposal that was begun, and written down, before a restart. */
    public void resumeDisposal(Resource resource) {
        disposals.resume(resource);
    }

    /** Gives back what a factory has and the pool did not ask for. */
    public void giveBack(Resource resource) {
        disposals.unwanted(resource, () -> {});
    }

    /** A span of time, up to a tenth shorter or longer, so that a thousand nodes do not ask the cloud in one second. */
    public Duration jitter(Duration span) {
        return jitter(span, 0.1);
    }

    /** A span of time, shorter or longer by up to a part of it, 0 to 1; but not nothing. */
    public Duration jitter(Duration span, double part) {
        return chance.jitter(span, part);
    }

    /** A failure with what its factory left out filled in: the author of a factory may not mind nulls. */
    static Failed complete(Failed failed) {
        ErrorKind kind = failed.kind();
        String message = failed.message();
        Duration retryAfter = failed.retryAfter();
        return new Failed(
                kind == null ? ErrorKind.INTERNAL : kind,
                message == null ? "the factory gives no reason" : message,
                retryAfter == null ? Duration.ZERO : retryAfter);
    }

    private synchronized boolean mayCreate() {
        return engine.time().nanoTime() - createsNotBefore >= 0;
    }

    private synchronized void wakeUpAfterBackoff() {
        if (wakeUp.isPresent()) {
            return;
        }
        Duration left =
                Duration.ofNanos(Math.max(1, createsNotBefore - engine.time().nanoTime()));
        wakeUp = Optional.of(engine.scheduler().after(left, () -> {
            synchronized (this) {
                wakeUp = Optional.empty();
            }
            evaluate();
        }));
    }

    /**
     * What the pool wants of its factory now, recorded already.
     *
     * @param maker the factory that creates
     * @param creates how many to create
     * @param disposals what to dispose of
     * @param unmet whether it would create more, were creates not backing off
     */
    record ProvisioningPlan(String maker, int creates, List<Resource> disposals, boolean unmet) {}

    /**
     * Why nothing can be made until an operator changes something. While it lasts, callers that would have to wait
     * for a create are refused.
     *
     * @param failed what the factory said
     * @param since when it said so first
     * @param untilNanos when the next create is tried
     */
    record ProvisioningBlock(Failed failed, Instant since, long untilNanos) {
        /** Whether waiting for the next try is of no use, by the factory's answer. */
        static boolean raisedBy(ErrorKind kind) {
            return kind == ErrorKind.MISCONFIGURED || kind == ErrorKind.UNAUTHORIZED;
        }
    }
}
