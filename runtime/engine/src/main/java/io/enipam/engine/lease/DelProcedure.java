package io.enipam.engine.lease;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.UnmanagedSandboxRegistry.UnmanagedSandbox;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * CNI DEL, in order: the pod's turn, the kernel, the commit, the pool.
 *
 * <p>The row goes before the pool lets the address go: were it the other way round, the next owner's row could be on
 * disk while the old one still is, and a crash between the two would leave one address with two owners.
 *
 * <p>An owner that has nothing is success, whatever its pod's name: a late DEL of an old sandbox changes nothing of the
 * new one's. A kernel that cannot be torn down is a failure, and the lease stays: an address whose routes still point
 * to the old pod must not be lent again.
 */
public record DelProcedure(LeaseContext context) {
    private static final Duration STEP = Duration.ofSeconds(30);

    /**
     * Ends whatever lease the owner has.
     *
     * @param by the caller's name for the trace; or empty text
     */
    public CompletableFuture<DelOutcome> del(OwnerKey owner, String by) {
        PodRef pod = context.leases().podOf(owner);
        TraceSink.Subject subject = pod == null ? TraceSink.Subject.of(owner) : TraceSink.Subject.of(owner, pod);
        Trace trace = context.traces().begin(Trace.Operation.DEL, subject);
        trace.with("by", by);
        return reporting(trace, del(owner, pod, null, new Cause(LeaseEnd.Reason.DEL, by, ""), trace));
    }

    /**
     * Ends this lease, whose pod is gone, unless the owner has another one, or none, by the time its turn comes.
     *
     * @param why what is known of the pod
     * @param trace of what the end of the lease is part of; ended by the caller
     */
    public CompletableFuture<DelOutcome> delExactly(Lease lease, String why, Trace trace) {
        Cause gone = new Cause(LeaseEnd.Reason.GC, "gc", why);
        return del(lease.owner(), context.leases().podOf(lease.owner()), lease, gone, trace);
    }

    /** Why a lease ends, by whom, and what more there is to say. */
    private record Cause(LeaseEnd.Reason reason, String by, String detail) {
        LeaseEnd at(Instant now) {
            return new LeaseEnd(reason, by, detail, now);
        }
    }

    private CompletableFuture<DelOutcome> del(
            OwnerKey owner, @Nullable PodRef pod, @Nullable Lease expected, Cause cause, Trace trace) {
        if (pod == null) {
            return context.strays()
                    .find(owner)
                    .map(stray -> disconnect(stray, cause, trace))
                    .orElseGet(() -> CompletableFuture.completedFuture(nothing(trace)));
        }
        Span turn = trace.step("TURN");
        return context.turns().run(pod, () -> {
            turn.done();
            Optional<Lease> lease =
                    context.leases().find(owner).filter(found -> expected == null || expected.equals(found));
            return lease.isPresent()
                    ? end(lease.get(), cause, trace)
                    : CompletableFuture.completedFuture(nothing(trace));
        });
    }

    private static DelOutcome nothing(Trace trace) {
        trace.with("held", "nothing");
        return DelOutcome.NOTHING_HELD;
    }

    /** Ends a trace with a DEL's outcome; before the answer, since the caller may read it at once. */
    private static CompletableFuture<DelOutcome> reporting(Trace trace, CompletableFuture<DelOutcome> outcome) {
        if (!trace.isRecording()) {
            return outcome;
        }
        CompletableFuture<DelOutcome> answer = new CompletableFuture<>();
        outcome.whenComplete((done, error) -> {
            try {
                if (error == null) {
                    trace.done();
                } else if (Stages.cause(error) instanceof IpamException refusal) {
                    trace.failed(refusal.code().name(), refusal.getMessage(), refusal.hint());
                } else {
                    Stages.fail(trace, error);
                }
            } finally {
                // the caller gets its answer even if the report fails
                Stages.pass(answer, done, error);
            }
        });
        return answer;
    }

    /** Disconnects a stray, unless it has a lease by the time its turn comes: then that is ended. */
    private CompletableFuture<DelOutcome> disconnect(UnmanagedSandbox stray, Cause cause, Trace trace) {
        OwnerKey owner = stray.owner();
        return context.turns()
                .run(
                        stray.pod(),
                        () -> context.strays().inTurn(owner, () -> {
                            Optional<Lease> lease = context.leases().find(owner);
                            return lease.isPresent() ? end(lease.get(), cause, trace) : disconnect(owner, trace);
                        }));
    }

    /** Disconnects a sandbox that has no lease, if it is connected. */
    public CompletableFuture<DelOutcome> disconnect(OwnerKey owner, String by) {
        Trace trace = context.traces().begin(Trace.Operation.DEL, TraceSink.Subject.of(owner));
        trace.with("by", by);
        return reporting(trace, disconnect(owner, trace));
    }

    private CompletableFuture<DelOutcome> disconnect(OwnerKey owner, Trace trace) {
        return context.tearDown(owner, trace, STEP)
                .exceptionallyCompose(error -> failed(
                        ErrorCode.DATAPATH_FAILED,
                        "container " + owner.containerId() + " could not be disconnected",
                        "the next DEL tries again",
                        error))
                .thenApply(done -> {
                    context.strays().remove(owner);
                    return DelOutcome.NOTHING_HELD;
                });
    }

    private CompletionStage<DelOutcome> end(Lease lease, Cause cause, Trace trace) {
        trace.about(lease.resource());
        return context.tearDown(lease.owner(), trace, STEP)
                .exceptionallyCompose(error -> failed(
                        ErrorCode.DATAPATH_FAILED,
                        "pod " + lease.pod() + " could not be disconnected",
                        "the lease stays; the next DEL or garbage collection tries again",
                        error))
                .thenCompose(done -> hold(lease, trace))
                .thenCompose(hold -> commit(lease, hold, cause, trace));
    }

    private CompletionStage<DelOutcome> commit(Lease lease, Optional<Hold> hold, Cause cause, Trace trace) {
        List<Change> changes = new ArrayList<>();
        LeaseEnd end = cause.at(context.time().now());
        boolean lost = context.isInState(lease, ResourceState.INVALID);
        changes.add(new Change.RemoveLease(
                lease.owner(), lost ? new LeaseEnd(LeaseEnd.Reason.LOST, end.by(), end.detail(), end.at()) : end));
        hold.ifPresent(h -> changes.add(new Change.PutHold(h)));
        return context.commit(changes, trace, STEP)
                .exceptionallyCompose(error -> {
                    context.leases().markRemovalUnconfirmed(lease.owner());
                    return failed(
                            Stages.cause(error) instanceof IOException ? ErrorCode.TRY_AGAIN : ErrorCode.STORE_FAILED,
                            "the end of the lease of pod " + lease.pod() + " could not be written",
                            "check space and permissions of the daemon's directory; the next DEL tries again",
                            error);
                })
                .thenApply(done -> ended(lease, hold, trace));
    }

    private DelOutcome ended(Lease lease, Optional<Hold> hold, Trace trace) {
        context.leases().remove(lease.owner());
        context.strays().remove(lease.owner());
        Optional<ResourceState> state = context.pool().release(lease.owner(), hold);
        if (trace.isRecording()) {
            Span release = trace.step("RELEASE");
            state.ifPresent(now -> release.with("state", now.name()));
            hold.ifPresent(kept -> release.with("until", kept.until().toString()));
            release.done();
        }
        String what = "address " + AddressFormat.of(lease.resource()) + " given back by container "
                + lease.owner().containerId();
        Map<String, String> details = Map.of(
                "resource",
                lease.resource().id().value(),
                "state",
                state.map(Enum::name).orElse(""));
        context.events()
                .publish(Event.Severity.INFO, "LeaseReleased", lease.pod().toString(), what, details);
        boolean held = state.filter(now -> now == ResourceState.COOLING || now == ResourceState.RESERVED)
                .isPresent();
        return new DelOutcome(Optional.of(lease), held ? hold : Optional.empty(), state);
    }

    /** What the policy makes of cool-down and stick time; what the cloud has lost is held for no pod. */
    private CompletionStage<Optional<Hold>> hold(Lease lease, Trace trace) {
        if (context.policy().builtIn()) {
            return CompletableFuture.completedFuture(hold(lease, context.coolDown(), stick(lease)));
        }
        PoolSnapshot pool = context.pool().snapshot();
        Span policy = trace.step("POLICY").with("asked", "how long it is held");
        CompletableFuture<Optional<Hold>> answer = new CompletableFuture<>();
        Resource released = lease.resource();
        PolicyGuard guard = context.policy();
        Consumer<Duration> askStick = coolDown -> guard.stick(
                pool, released, lease.pod(), stick(lease), stick -> answer.complete(hold(lease, coolDown, stick)));
        guard.coolDown(pool, released, context.coolDown(), askStick);
        return Stages.traced(policy, answer);
    }

    /** What the pod's manifest said last, as far as the node knows: it may have changed since the ADD. */
    private Duration stick(Lease lease) {
        return context.podStore()
                .find(lease.pod())
                .map(PodCopy::pod)
                .filter(pod -> !pod.uid().isEmpty() && pod.uid().equals(lease.podUid()))
                .map(Pod::stick)
                .orElse(lease.stick());
    }

    private Optional<Hold> hold(Lease lease, Duration coolDown, Duration stick) {
        if (!context.isInState(lease, ResourceState.IN_USE) || (coolDown.isZero() && stick.isZero())) {
            return Optional.empty();
        }
        Hold.Purpose purpose = stick.isZero() ? Hold.Purpose.COOLING : Hold.Purpose.RESERVED;
        Duration length = stick.compareTo(coolDown) > 0 ? stick : coolDown;
        Instant until = context.time().now().plus(length);
        return Optional.of(new Hold(lease.resource(), purpose, lease.pod(), until, length));
    }

    private static <T> CompletionStage<T> failed(ErrorCode code, String what, String hint, Throwable error) {
        Throwable cause = Stages.cause(error);
        return CompletableFuture.failedFuture(new IpamException(code, what + ": " + cause.getMessage(), hint, cause));
    }

    /**
     * What came of a DEL: always success, whether anything was held or not.
     *
     * @param released the lease that ended, or empty if the owner held nothing
     * @param hold what keeps the resource from being lent again at once, or empty if nothing does
     * @param state what the resource is now: {@code IDLE}, {@code COOLING}, {@code RESERVED}, or {@code DISPOSING} or
     *     {@code INVALID} if it is on its way out; empty if nothing was held
     */
    public record DelOutcome(Optional<Lease> released, Optional<Hold> hold, Optional<ResourceState> state) {
        /** The owner had nothing: success, nothing changed. */
        public static final DelOutcome NOTHING_HELD =
                new DelOutcome(Optional.empty(), Optional.empty(), Optional.empty());
    }
}
