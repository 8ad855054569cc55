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
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.Pod.PodNetworkSpec;
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

    private final LeaseContext leasing;
    private final PodLookup pods;
    private final LeaseTransfer inheritance;
    private final AddRollback undo;

    public AddProcedure(LeaseContext leasing) {
        this.leasing = leasing;
        this.pods = new PodLookup(leasing);
        this.inheritance = new LeaseTransfer(leasing);
        this.undo = new AddRollback(leasing);
    }

    /** @return fails with {@link IpamException} within the command's timeout */
    public CompletableFuture<AddOutcome> add(AddCommand command) {
        Trace trace = leasing.traces().begin(Trace.Operation.ADD, TraceSink.Subject.of(command.owner(), command.pod()));
        if (trace.isRecording()) {
            trace.with("by", command.by()).with("netns", command.link().netns());
            trace.with("timeout", command.timeout().toMillis() + " ms");
        }
        AddCall call = AddCall.of(command, leasing.time(), trace);
        CompletableFuture<AddOutcome> caller = call.caller();
        Scheduler.Cancellable deadline = leasing.scheduler()
                .after(command.timeout(), () -> caller.completeExceptionally(late(command, "the ADD was done")));
        leasing.book().addStarted(command.owner(), command.pod());
        leasing.turns().run(command.pod(), () -> beforeRebuild(call)).whenComplete((done, error) -> {
            deadline.cancel();
            leasing.book().addEnded(command.owner(), command.pod());
            if (error != null) {
                caller.completeExceptionally(coded(command, error));
            }
        });
        // recorded before the answer, since the caller may read the trace at once
        CompletableFuture<AddOutcome> answer = new CompletableFuture<>();
        caller.whenComplete((outcome, error) -> {
            try {
                report(call, outcome, error);
            } finally {
                // the caller gets its answer even if the report fails
                if (error == null) {
                    answer.complete(outcome);
                } else {
                    answer.completeExceptionally(error);
                }
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
        return leasing.strays()
                .inTurn(
                        owner,
                        () -> isStray(owner)
                                ? attempt(call).thenApply(done -> true)
                                : CompletableFuture.completedFuture(false))
                // the lease that it has got meanwhile is in another pod's queue
                .thenCompose(over -> over ? CompletableFuture.completedFuture(null) : attempt(call));
    }

    private boolean isStray(OwnerKey owner) {
        return leasing.strays().contains(owner) && leasing.book().find(owner).isEmpty();
    }

    private CompletionStage<Void> attempt(AddCall call) {
        AddCommand command = call.command();
        if (call.budget().expired()) {
            IpamException late = late(command, "an earlier call for the same pod ended");
            Stages.fail(call.turn(), late);
            return CompletableFuture.failedFuture(late);
        }
        call.turn().done();
        Optional<Lease> had = leasing.book().find(command.owner());
        if (had.isPresent() && PlaceholderPod.is(had.get().pod())) {
            return pods.find(command, call.budget(), call.trace())
                    .thenCompose(found -> inherit(call, found, had.get())
                            .thenCompose(lease -> again(call, lease, found.pod().wishes())));
        }
        if (had.isPresent()) {
            return again(call, had.get(), wishes(had.get()));
        }
        Optional<DbTrouble> trouble = leasing.db().trouble();
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
        Optional<Lease> kept = inheritance.find(command, found.pod());
        if (kept.isPresent()) {
            return inherit(call, found, kept.get());
        }
        Span acquire = call.trace().step("ACQUIRE");
        return Stages.traced(
                        acquire,
                        leasing.pool()
                                .acquire(
                                        command.owner(),
                                        command.pod(),
                                        call.budget().left(),
                                        acquire))
                .thenCompose(resource -> {
                    call.trace().about(resource);
                    return commit(call, lease(command, found.pod(), resource), found);
                });
    }

    private CompletionStage<Lease> inherit(AddCall call, PodLookup.Found found, Lease former) {
        call.trace().about(former.resource());
        Span passing = call.trace().step("INHERIT");
        return Stages.traced(
                        passing,
                        inheritance
                                .transfer(
                                        former,
                                        lease(call.command(), found.pod(), former.resource()),
                                        found.change(),
                                        call.budget())
                                .toCompletableFuture())
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(stored(error)));
    }

    /** An address that the cloud took while the ADD was under way is allocated to no pod. */
    private CompletionStage<Lease> stillThere(AddCall call, Lease lease) {
        if (!isLost(lease)) {
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

    private boolean isLost(Lease lease) {
        return leasing.pool().state(lease.resource().id()).equals(Optional.of(ResourceState.INVALID));
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
        if (isLost(lease)) {
            return CompletableFuture.failedFuture(new IpamException(
                    ErrorCode.CLOUD_FAILED,
                    "the cloud took address " + AddressFormat.of(lease.resource()) + " from pod " + lease.pod(),
                    "delete the sandbox: the next one gets another address"));
        }
        return written(call, lease)
                .thenCompose(row -> setUp(call, lease, wishes))
                .thenAccept(wiring -> call.caller().complete(new AddOutcome(lease, true, wiring)));
    }

    /**
     * A lease whose row a DEL tried to remove is written anew, behind that removal, before a caller gets it again:
     * were it not, a crash would lose a lease that its pod uses.
     */
    private CompletableFuture<Void> written(AddCall call, Lease lease) {
        if (!leasing.book().isRemovalUnconfirmed(lease.owner())) {
            return CompletableFuture.completedFuture(null);
        }
        Span commit = call.trace().step("COMMIT");
        List<Change> changes = List.of(new Change.RemoveHold(lease.resource().id()), new Change.PutLease(lease));
        return Stages.traced(
                        commit,
                        Stages.within(
                                Stages.call(() -> leasing.db().commit(changes, commit)),
                                call.budget().left(),
                                leasing.scheduler(),
                                () -> late(call.command(), "the lease was on disk")))
                .thenAccept(done -> leasing.book().confirm(lease.owner()))
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(stored(error)));
    }

    private Lease lease(AddCommand command, Pod pod, Resource resource) {
        return new Lease(
                command.owner(),
                command.pod(),
                pod.uid(),
                resource,
                pod.stick(),
                leasing.time().now());
    }

    private CompletionStage<Lease> commit(AddCall call, Lease lease, PodLookup.Found found) {
        List<Change> changes = new ArrayList<>();
        changes.add(new Change.PutLease(lease));
        changes.add(new Change.RemoveHold(lease.resource().id()));
        found.change().ifPresent(changes::add);
        Span commit = call.trace().step("COMMIT");
        CompletionStage<Void> written = Stages.call(() -> leasing.db().commit(changes, commit));
        return Stages.traced(
                        commit,
                        Stages.within(
                                written,
                                call.budget().left(),
                                leasing.scheduler(),
                                () -> late(call.command(), "the lease was on disk")))
                .handle((done, error) -> {
                    if (error == null) {
                        found.change().ifPresent(leasing.copies()::written);
                        leasing.book().put(lease);
                        if (!found.presumed().isEmpty()) {
                            leasing.book().assumeUid(lease.owner(), found.presumed());
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
        return Stages.traced(
                        kernel,
                        Stages.within(
                                Stages.call(() -> leasing.datapath()
                                        .setUp(new DatapathRequest(lease, command.link(), wishes), kernel)),
                                call.budget().left(),
                                leasing.scheduler(),
                                () -> late(command, "the kernel was set up")))
                .thenApply(wiring -> {
                    leasing.strays().remove(lease.owner());
                    return wiring;
                })
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(
                        Stages.cause(error) instanceof IpamException known
                                ? known
                                : new IpamException(
                                        ErrorCode.DATAPATH_FAILED,
                                        "pod " + command.pod() + " could not be connected: "
                                                + Stages.cause(error).getMessage(),
                                        "the address went back; the next ADD starts afresh",
                                        error)));
    }

    /** What the pod's manifest said last, unless that was another pod's. */
    private PodNetworkSpec wishes(Lease lease) {
        return leasing.copies()
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
        if (cause instanceof IpamException known) {
            return known;
        }
        String what = "the lease could not be written: " + cause.getMessage();
        return cause instanceof IOException
                ? new IpamException(
                        ErrorCode.TRY_AGAIN,
                        what,
                        cause instanceof DbBusyException ? "try again in a moment" : UNTIL_WRITABLE,
                        cause)
                : new IpamException(
                        ErrorCode.STORE_FAILED, what, "check space and permissions of the daemon's directory", cause);
    }

    private static IpamException late(AddCommand command, String event) {
        return new IpamException(
                ErrorCode.DEADLINE_EXCEEDED,
                "the " + command.timeout().toMillis() + " ms for pod " + command.pod() + " were over before " + event,
                "try again; what was begun is undone");
    }

    private static IpamException coded(AddCommand command, Throwable error) {
        Throwable cause = Stages.cause(error);
        return cause instanceof IpamException known
                ? known
                : new IpamException(
                        ErrorCode.INTERNAL,
                        "ADD for pod " + command.pod() + " failed: " + cause,
                        "this is a bug",
                        cause);
    }

    private void report(AddCall call, @Nullable AddOutcome outcome, @Nullable Throwable error) {
        AddCommand command = call.command();
        if (outcome != null) {
            call.trace().done();
            Lease lease = outcome.lease();
            leasing.events()
                    .publish(
                            Event.Severity.INFO,
                            outcome.repeated() ? "LeaseRepeated" : "LeaseGranted",
                            command.pod().toString(),
                            "address " + AddressFormat.of(lease.resource()) + " lent to container "
                                    + command.owner().containerId(),
                            Map.of(
                                    "resource", lease.resource().id().value(),
                                    "owner", command.owner().toString()));
        } else if (error != null && Stages.cause(error) instanceof IpamException refusal) {
            call.trace().failed(refusal.code().name(), refusal.getMessage(), refusal.hint());
            leasing.events()
                    .publish(
                            Event.Severity.WARNING,
                            "LeaseRefused",
                            command.pod().toString(),
                            refusal.getMessage(),
                            Map.of(
                                    "code", refusal.code().name(),
                                    "owner", command.owner().toString()));
        }
    }

    /**
     * What came of an {@link AddCommand}.
     *
     * @param lease the lease, durable
     * @param repeated whether the owner had it already and this call changed nothing
     * @param wiring how the pod is connected
     */
    public record AddOutcome(Lease lease, boolean repeated, DatapathResult wiring) {}

    /**
     * The time one call has. The steps share it; a tenth of it (a quarter of a second at most) is kept back, so that a
     * step that runs out still answers, with the cause it knows, before the caller's own deadline.
     */
    record CallDeadline(TimeSource time, long deadline) {
        private static final Duration MOST_KEPT_BACK = Duration.ofMillis(250);

        static CallDeadline of(TimeSource time, Duration timeout) {
            Duration tenth = timeout.dividedBy(10);
            Duration keptBack = tenth.compareTo(MOST_KEPT_BACK) < 0 ? tenth : MOST_KEPT_BACK;
            return new CallDeadline(
                    time, time.nanoTime() + timeout.minus(keptBack).toNanos());
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
     * One ADD under way.
     *
     * @param caller the caller's future; completed by the first of the last step or the caller's own deadline
     * @param trace the trace of the ADD
     * @param turn the first step of it: until the pod's turn has come
     */
    private record AddCall(
            AddCommand command, CallDeadline budget, CompletableFuture<AddOutcome> caller, Trace trace, Span turn) {
        static AddCall of(AddCommand command, TimeSource time, Trace trace) {
            return new AddCall(
                    command,
                    CallDeadline.of(time, command.timeout()),
                    new CompletableFuture<>(),
                    trace,
                    trace.step("TURN"));
        }
    }
}
