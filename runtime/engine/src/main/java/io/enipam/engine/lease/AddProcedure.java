package io.enipam.engine.lease;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.AddProcedure.CallDeadline;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb.DbBusyException;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
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
import org.jspecify.annotations.Nullable;

/**
 * CNI ADD, in order: the pod's turn, the pod, the pool, the commit, the kernel. While the database cannot be written,
 * an owner that has a lease gets it again, and any other ADD fails before anything is done.
 *
 * <p>Each step knows what it undoes. A failure after the pool lent something gives it back; one after the commit also
 * removes the row, in a commit that the journal orders after the first. If the caller has given up by the time all is
 * done, all is undone: no caller would ever use the lease.
 *
 * <p>The same owner asking again gets the same answer, and the kernel is set up once more, since the daemon may have
 * died between commit and kernel the first time.
 */
public final class AddProcedure {
    private static final String UNTIL_WRITABLE =
            "try again later: the daemon serves by itself as soon as its disk takes writes again; see 'status'";

    private final LeaseContext context;
    private final PodLookup pods;
    private final LeaseTransfer transfer;
    private final AddRollback undo;

    public AddProcedure(LeaseContext context) {
        this.context = context;
        this.pods = new PodLookup(context);
        this.transfer = new LeaseTransfer(context);
        this.undo = new AddRollback(context);
    }

    /** @return fails with {@link IpamException} within the command's timeout */
    public CompletableFuture<AddOutcome> add(AddCommand command) {
        Trace trace = context.traces().begin(Trace.Operation.ADD, TraceSink.Subject.of(command.owner(), command.pod()));
        if (trace.isRecording()) {
            trace.with("by", command.by()).with("netns", command.link().netns());
            trace.with("timeout", command.timeout().toMillis() + " ms");
        }
        AddCall call = AddCall.of(command, context.time(), trace);
        CompletableFuture<AddOutcome> caller = call.caller();
        Scheduler.Cancellable deadline = context.scheduler()
                .after(command.timeout(), () -> caller.completeExceptionally(late(command, "the ADD was done")));
        context.leases().addStarted(command.owner(), command.pod());
        context.turns().run(command.pod(), () -> beforeRebuild(call)).whenComplete((done, error) -> {
            deadline.cancel();
            context.leases().addEnded(command.owner(), command.pod());
            if (error != null) {
                String what = "ADD for pod " + command.pod() + " failed: " + Stages.cause(error);
                caller.completeExceptionally(coded(error, ErrorCode.INTERNAL, what, "this is a bug"));
            }
        });
        // recorded before the answer, since the caller may read the trace at once
        CompletableFuture<AddOutcome> answer = new CompletableFuture<>();
        caller.whenComplete((outcome, error) -> {
            try {
                report(call, outcome, error);
            } finally {
                // the caller gets its answer even if the report fails
                Stages.pass(answer, outcome, error);
            }
        });
        return answer;
    }

    /** A sandbox without a lease may be about to get one in the name of a placeholder: never two at once. */
    private CompletionStage<Void> beforeRebuild(AddCall call) {
        OwnerKey owner = call.command().owner();
        if (!isStray(owner)) {
            return attempt(call);
        }
        return context.strays()
                .inTurn(
                        owner,
                        () -> isStray(owner)
                                ? attempt(call).thenApply(done -> true)
                                : CompletableFuture.completedFuture(false))
                // the lease that it has got meanwhile is in another pod's queue
                .thenCompose(over -> over ? CompletableFuture.completedFuture(null) : attempt(call));
    }

    private boolean isStray(OwnerKey owner) {
        return context.strays().contains(owner) && context.leases().find(owner).isEmpty();
    }

    private CompletionStage<Void> attempt(AddCall call) {
        AddCommand command = call.command();
        if (call.budget().expired()) {
            IpamException late = late(command, "an earlier call for the same pod ended");
            Stages.fail(call.turn(), late);
            return CompletableFuture.failedFuture(late);
        }
        call.turn().done();
        Optional<Lease> had = context.leases().find(command.owner());
        if (had.isPresent() && PlaceholderPod.is(had.get().pod())) {
            return pods.find(command, call.budget(), call.trace())
                    .thenCompose(found -> inherit(call, found, had.get())
                            .thenCompose(lease -> again(call, lease, found.pod().wishes())));
        }
        if (had.isPresent()) {
            return again(call, had.get(), wishes(had.get()));
        }
        Optional<DbTrouble> trouble = context.db().trouble();
        if (trouble.isPresent()) {
            return CompletableFuture.failedFuture(unwritable(command, trouble.get()));
        }
        return pods.find(command, call.budget(), call.trace())
                .thenCompose(found -> lease(call, found)
                        .thenCompose(lease -> connect(call, lease, found.pod().wishes())
                                .thenCompose(wiring -> stillThere(call, lease)
                                        .thenCompose(there -> call.caller()
                                                        .complete(new AddOutcome(lease, false, wiring))
                                                ? CompletableFuture.completedFuture(null)
                                                : undo.lease(lease, "the caller had given up", call.trace())))));
    }

    /** What a placeholder has for the pod, else what the pool lends. */
    private CompletionStage<Lease> lease(AddCall call, PodLookup.Found found) {
        AddCommand command = call.command();
        Optional<Lease> kept = transfer.find(command, found.pod());
        if (kept.isPresent()) {
            return inherit(call, found, kept.get());
        }
        Span acquire = call.trace().step("ACQUIRE");
        CompletableFuture<Resource> lent = context.pool()
                .acquire(command.owner(), found.pod().view(), call.budget().left(), acquire);
        return Stages.traced(acquire, lent).thenCompose(resource -> {
            call.trace().about(resource);
            return commit(call, lease(command, found.pod(), resource), found);
        });
    }

    private CompletionStage<Lease> inherit(AddCall call, PodLookup.Found found, Lease former) {
        call.trace().about(former.resource());
        Span passing = call.trace().step("INHERIT");
        Lease next = lease(call.command(), found.pod(), former.resource());
        CompletionStage<Lease> passed = transfer.transfer(former, next, found.change(), call.budget());
        return Stages.traced(passing, passed.toCompletableFuture())
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(stored(error)));
    }

    /** An address that the cloud took while the ADD was under way is allocated to no pod. */
    private CompletionStage<Lease> stillThere(AddCall call, Lease lease) {
        if (!context.isInState(lease, ResourceState.INVALID)) {
            return CompletableFuture.completedFuture(lease);
        }
        return undo.lease(lease, "the cloud took its address", call.trace())
                .thenCompose(undone -> CompletableFuture.failedFuture(new IpamException(
                        ErrorCode.TRY_AGAIN,
                        "the cloud took address "
                                + AddressFormat.of(lease.resource()) + " while pod " + lease.pod()
                                + " was being connected",
                        "try again: another address is lent then")));
    }

    private CompletionStage<Void> again(AddCall call, Lease lease, PodNetworkSpec wishes) {
        AddCommand command = call.command();
        call.trace().about(lease.resource());
        call.trace().with("repeated", "true");
        if (!lease.pod().equals(command.pod())) {
            return CompletableFuture.failedFuture(new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "container " + command.owner().containerId() + " belongs to pod " + lease.pod() + ", not to "
                            + command.pod(),
                    "one sandbox has one pod: check the container id"));
        }
        if (context.isInState(lease, ResourceState.INVALID)) {
            return CompletableFuture.failedFuture(new IpamException(
                    ErrorCode.CLOUD_FAILED,
                    "the cloud took address " + AddressFormat.of(lease.resource()) + " from pod " + lease.pod(),
                    "delete the sandbox: the next one gets another address"));
        }
        return written(call, lease)
                .thenCompose(row -> setUp(call, lease, wishes))
                .thenAccept(wiring -> call.caller().complete(new AddOutcome(lease, true, wiring)));
    }

    /** A lease whose row a DEL tried to remove is written anew, behind that removal, before it is given again. */
    private CompletableFuture<Void> written(AddCall call, Lease lease) {
        if (!context.leases().isRemovalUnconfirmed(lease.owner())) {
            return CompletableFuture.completedFuture(null);
        }
        Span commit = call.trace().step("COMMIT");
        List<Change> changes =
                List.of(new Change.RemoveHold(ResourceKey.of(lease.resource())), new Change.PutLease(lease));
        return inTime(call, commit, Stages.call(() -> context.db().commit(changes, commit)), "the lease was on disk")
                .thenAccept(done -> context.leases().confirm(lease.owner()))
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(stored(error)));
    }

    private Lease lease(AddCommand command, Pod pod, Resource resource) {
        Instant now = context.time().now();
        return new Lease(command.owner(), command.pod(), pod.uid(), resource, pod.stick(), now);
    }

    /** A step of the ADD, which fails if the caller's time is over first. */
    private <T> CompletableFuture<T> inTime(AddCall call, Span step, CompletionStage<T> stage, String event) {
        Duration left = call.budget().left();
        return Stages.traced(step, Stages.within(stage, left, context.scheduler(), () -> late(call.command(), event)));
    }

    private CompletionStage<Lease> commit(AddCall call, Lease lease, PodLookup.Found found) {
        List<Change> changes = new ArrayList<>();
        changes.add(new Change.PutLease(lease));
        changes.add(new Change.RemoveHold(context.pool().holdRow(lease.resource())));
        found.change().ifPresent(changes::add);
        Span commit = call.trace().step("COMMIT");
        CompletionStage<Void> written = Stages.call(() -> context.db().commit(changes, commit));
        return inTime(call, commit, written, "the lease was on disk")
                .handle((done, error) -> {
                    if (error == null) {
                        found.change().ifPresent(context.podStore()::written);
                        context.leases().put(lease);
                        if (!found.presumed().isEmpty()) {
                            context.leases().assumeUid(lease.owner(), found.presumed());
                        }
                        return CompletableFuture.<@Nullable Void>completedFuture(null);
                    }
                    return undo.uncommitted(lease, written, call.trace())
                            .thenCompose(undone -> CompletableFuture.<@Nullable Void>failedFuture(stored(error)));
                })
                .thenCompose(stage -> stage)
                .thenApply(done -> lease);
    }

    private CompletionStage<DatapathResult> connect(AddCall call, Lease lease, PodNetworkSpec wishes) {
        return setUp(call, lease, wishes)
                .exceptionallyCompose(error -> undo.lease(lease, "the kernel could not be set up", call.trace())
                        .thenCompose(undone -> CompletableFuture.failedFuture(error)));
    }

    private CompletableFuture<DatapathResult> setUp(AddCall call, Lease lease, PodNetworkSpec wishes) {
        AddCommand command = call.command();
        Span kernel = call.trace().step("KERNEL");
        DatapathRequest request = new DatapathRequest(lease, command.link(), wishes);
        CompletionStage<DatapathResult> wired =
                Stages.call(() -> context.datapath().setUp(request, kernel));
        return inTime(call, kernel, wired, "the kernel was set up")
                .thenApply(wiring -> {
                    context.strays().remove(lease.owner());
                    return wiring;
                })
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(coded(
                        error,
                        ErrorCode.DATAPATH_FAILED,
                        "pod " + command.pod() + " could not be connected: "
                                + Stages.cause(error).getMessage(),
                        "the address went back; the next ADD starts afresh")));
    }

    /** What the pod's manifest said last, unless that was another pod's. */
    private PodNetworkSpec wishes(Lease lease) {
        return context.podStore()
                .find(lease.pod())
                .map(PodCopy::pod)
                .filter(pod -> !Pod.areDifferent(pod.uid(), lease.podUid()))
                .map(Pod::wishes)
                .orElse(PodNetworkSpec.NONE);
    }

    /** Said before anything is done: neither the pool nor the cloud is asked for what cannot be written down. */
    private static IpamException unwritable(AddCommand command, DbTrouble trouble) {
        return new IpamException(
                ErrorCode.TRY_AGAIN,
                "no lease can be written for pod " + command.pod() + ": " + trouble.cause(),
                UNTIL_WRITABLE);
    }

    private static IpamException stored(Throwable error) {
        Throwable cause = Stages.cause(error);
        String what = "the lease could not be written: " + cause.getMessage();
        if (!(cause instanceof IOException)) {
            String hint = "check space and permissions of the daemon's directory";
            return coded(error, ErrorCode.STORE_FAILED, what, hint);
        }
        String hint = cause instanceof DbBusyException ? "try again in a moment" : UNTIL_WRITABLE;
        return new IpamException(ErrorCode.TRY_AGAIN, what, hint, cause);
    }

    private static IpamException late(AddCommand command, String event) {
        return new IpamException(
                ErrorCode.DEADLINE_EXCEEDED,
                "the " + command.timeout().toMillis() + " ms for pod " + command.pod() + " were over before " + event,
                "try again; what was begun is undone");
    }

    /** The error itself if the engine raised it, else one with this code. */
    private static IpamException coded(Throwable error, ErrorCode code, String message, String hint) {
        Throwable cause = Stages.cause(error);
        return cause instanceof IpamException known ? known : new IpamException(code, message, hint, cause);
    }

    private void report(AddCall call, @Nullable AddOutcome outcome, @Nullable Throwable error) {
        AddCommand command = call.command();
        String pod = command.pod().toString();
        String owner = command.owner().toString();
        if (outcome != null) {
            call.trace().done();
            Lease lease = outcome.lease();
            String type = outcome.repeated() ? "LeaseRepeated" : "LeaseGranted";
            String what = "address " + AddressFormat.of(lease.resource()) + " lent to container "
                    + command.owner().containerId();
            Map<String, String> details =
                    Map.of("resource", lease.resource().id().value(), "owner", owner);
            context.events().publish(Event.Severity.INFO, type, pod, what, details);
        } else if (error != null && Stages.cause(error) instanceof IpamException refusal) {
            call.trace().failed(refusal.code().name(), refusal.getMessage(), refusal.hint());
            Map<String, String> details = Map.of("code", refusal.code().name(), "owner", owner);
            context.events().publish(Event.Severity.WARNING, "LeaseRefused", pod, refusal.getMessage(), details);
        }
    }

    /** @param repeated whether the owner had it already and this call changed nothing */
    public record AddOutcome(Lease lease, boolean repeated, DatapathResult wiring) {}

    /**
     * The time one call has. The steps share it; a tenth of it (a quarter of a second at most) is kept back, so that a
     * step that runs out still answers, with the cause it knows, before the caller's own deadline.
     */
    record CallDeadline(TimeSource time, long deadline) {
        private static final Duration MOST_KEPT_BACK = Duration.ofMillis(250);

        static CallDeadline of(TimeSource time, Duration timeout) {
            long keptBack = Math.min(timeout.toNanos() / 10, MOST_KEPT_BACK.toNanos());
            return new CallDeadline(time, time.nanoTime() + timeout.toNanos() - keptBack);
        }

        /** What is left, at least a nanosecond. */
        Duration left() {
            return Duration.ofNanos(Math.max(1, deadline - time.nanoTime()));
        }

        boolean expired() {
            return deadline - time.nanoTime() <= 0;
        }

        /** What is left, but no more than a step may take. */
        Duration atMost(Duration step) {
            Duration left = left();
            return left.compareTo(step) < 0 ? left : step;
        }
    }

    /**
     * @param caller the caller's future; completed by the first of the last step or the caller's own deadline
     * @param turn the first step of it: until the pod's turn has come
     */
    private record AddCall(
            AddCommand command, CallDeadline budget, CompletableFuture<AddOutcome> caller, Trace trace, Span turn) {
        static AddCall of(AddCommand command, TimeSource time, Trace trace) {
            CallDeadline budget = CallDeadline.of(time, command.timeout());
            return new AddCall(command, budget, new CompletableFuture<>(), trace, trace.step("TURN"));
        }
    }

    /** Takes back what an ADD did, newest first. Never fails: what stays is a lease, which DEL or GC ends. */
    private record AddRollback(LeaseContext context) {
        private static final Duration STEP = Duration.ofSeconds(10);

        /** Undoes a lease whose row is on disk. */
        CompletableFuture<Void> lease(Lease lease, String why, Span trace) {
            Span undo = trace.step("UNDO").with("why", why);
            CompletableFuture<Void> gone = context.tearDown(lease.owner(), undo, STEP)
                    .thenCompose(done -> {
                        LeaseEnd end = new LeaseEnd(
                                LeaseEnd.Reason.UNDONE, "", why, context.time().now());
                        return context.commit(List.of(new Change.RemoveLease(lease.owner(), end)), undo, STEP);
                    });
            return Stages.traced(undo, gone).handle((done, error) -> {
                String pod = lease.pod().toString();
                if (error == null) {
                    context.leases().remove(lease.owner());
                    context.pool().release(lease.owner(), Optional.empty());
                    context.events().info("LeaseUndone", pod, "the lease was undone: " + why);
                } else {
                    context.leases().markRemovalUnconfirmed(lease.owner());
                    String what = "the lease stays until a DEL or the garbage collector ends it: "
                            + Stages.cause(error).getMessage();
                    context.events().error("LeaseNotUndone", pod, what);
                }
                return null;
            });
        }

        /**
         * Undoes a lease whose row may not have been written. If the write failed for certain, there is no row, and the
         * address is free at once. If it has not ended, a removal is queued behind it, and the address is free when that is
         * on disk; if even that fails, the lease stands, since its row may.
         */
        CompletableFuture<Void> uncommitted(Lease lease, CompletionStage<Void> write, Span trace) {
            if (write.toCompletableFuture().isCompletedExceptionally()) {
                Span undo = trace.step("UNDO").with("why", "its row was not written");
                context.pool().cancel(lease.owner());
                undo.done();
                return CompletableFuture.completedFuture(null);
            }
            context.leases().put(lease);
            return lease(lease, "its row was not on disk in time", trace);
        }
    }
}
