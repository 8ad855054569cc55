package io.enipam.daemon.rpc;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddOutcome;
import io.enipam.engine.lease.DelOutcome;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.ActOnCloudReply;
import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.AddCloudFaultReply;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.CompactDbRequest;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.DeletePodReply;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.ImportDbReply;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.RemoveCloudFaultReply;
import io.enipam.v1.RemoveCloudFaultRequest;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.ResetCloudReply;
import io.enipam.v1.ResetCloudRequest;
import io.enipam.v1.RestoreDbReply;
import io.enipam.v1.RestoreDbRequest;
import io.enipam.v1.RunGcReply;
import io.enipam.v1.RunGcRequest;
import io.enipam.v1.SetCloudLatencyReply;
import io.enipam.v1.SetCloudLatencyRequest;
import io.enipam.v1.SetCloudThrottleReply;
import io.enipam.v1.SetCloudThrottleRequest;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyReply;
import io.enipam.v1.SwapPolicyRequest;
import io.enipam.v1.SweepEnisReply;
import io.enipam.v1.SweepEnisRequest;
import io.enipam.v1.SyncPoolReply;
import io.enipam.v1.SyncPoolRequest;
import io.enipam.v1.WarmPoolReply;
import io.enipam.v1.WarmPoolRequest;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code enipam.v1.Control}: changes things. Who may call it is checked before. Thread-safe. */
public final class ControlService extends ControlGrpc.ControlImplBase {
    private final Served served;
    private final CniCalls calls;
    private final CloudCalls cloud;
    private final DbCalls db;
    private final OrderCalls orders;
    private final DoctorCalls doctor;

    public ControlService(Served served) {
        this.served = served;
        this.calls = new CniCalls(served);
        this.cloud = new CloudCalls(served.emulated());
        this.orders = new OrderCalls(served.orders());
        this.db = new DbCalls(served.database(), served.facts().time());
        this.doctor = new DoctorCalls(served.doctor(), served.facts().version());
    }

    @Override
    public void cniAdd(CniAddRequest request, StreamObserver<CniAddReply> observer) {
        long begun = now();
        Answers.later(
                observer,
                () -> add(calls.add(request)),
                outcome -> CniAddReply.newBuilder()
                        .setLease(LeaseWire.lease(outcome.lease()))
                        .setRepeated(outcome.repeated())
                        .setTook(ProtoTime.duration(since(begun)))
                        .build());
    }

    private CompletionStage<AddOutcome> add(AddCommand command) {
        String leaseUid =
                served.engine().lease(command.owner()).map(Lease::podUid).orElse("");
        served.pods().admit(command.pod(), leaseUid);
        return served.engine().add(command);
    }

    @Override
    public void cniDel(CniDelRequest request, StreamObserver<CniDelReply> observer) {
        long begun = now();
        Answers.later(observer, () -> del(request), outcome -> deleted(outcome, since(begun)));
    }

    private CompletionStage<Optional<DelOutcome>> del(CniDelRequest request) {
        Optional<OwnerKey> owner = calls.ownerToEnd(request);
        return owner.isEmpty()
                ? CompletableFuture.completedStage(Optional.empty())
                : served.engine().del(owner.get(), CniCalls.by()).thenApply(Optional::of);
    }

    private static CniDelReply deleted(Optional<DelOutcome> outcome, Duration took) {
        CniDelReply.Builder reply = CniDelReply.newBuilder().setTook(ProtoTime.duration(took));
        outcome.flatMap(DelOutcome::released).ifPresent(lease -> {
            reply.setReleased(LeaseWire.lease(lease));
            reply.setState(outcome.flatMap(DelOutcome::state)
                    .orElse(ResourceState.IDLE)
                    .name());
            outcome.flatMap(DelOutcome::hold).ifPresent(hold -> reply.setUntil(ProtoTime.timestamp(hold.until())));
        });
        return reply.build();
    }

    @Override
    public void cniGc(CniGcRequest request, StreamObserver<CniGcReply> observer) {
        Answers.later(observer, () -> calls.gc(request, served.facts().time()), reply -> reply);
    }

    @Override
    public void runGc(RunGcRequest request, StreamObserver<RunGcReply> observer) {
        Answers.later(
                observer,
                () -> served.engine().collect(request.getDryRun()),
                report -> RunGcReply.newBuilder()
                        .setReport(LeaseWire.report(report))
                        .build());
    }

    @Override
    public void syncPool(SyncPoolRequest request, StreamObserver<SyncPoolReply> observer) {
        Answers.later(
                observer,
                () -> served.engine().reconcile(),
                report -> SyncPoolReply.newBuilder()
                        .setReport(SyncWire.report(report))
                        .build());
    }

    @Override
    public void warmPool(WarmPoolRequest request, StreamObserver<WarmPoolReply> observer) {
        Answers.now(observer, () -> orders.warm(request));
    }

    @Override
    public void drainPool(DrainPoolRequest request, StreamObserver<DrainPoolReply> observer) {
        Answers.now(observer, () -> orders.drain(request));
    }

    @Override
    public void sweepEnis(SweepEnisRequest request, StreamObserver<SweepEnisReply> observer) {
        Answers.later(
                observer,
                () -> served.sweeper().sweep(request.getDryRun()),
                report -> SweepEnisReply.newBuilder()
                        .setReport(SweepWire.report(report))
                        .build());
    }

    @Override
    public void backupDb(BackupDbRequest request, StreamObserver<BackupDbReply> observer) {
        db.backup(request, observer);
    }

    @Override
    public void restoreDb(RestoreDbRequest request, StreamObserver<RestoreDbReply> observer) {
        db.restore(request, observer);
    }

    @Override
    public StreamObserver<ImportDbRequest> importDb(StreamObserver<ImportDbReply> observer) {
        return db.receive(observer);
    }

    @Override
    public void compactDb(CompactDbRequest request, StreamObserver<CompactDbReply> observer) {
        db.compact(observer);
    }

    @Override
    public void repairFinding(RepairFindingRequest request, StreamObserver<RepairFindingReply> observer) {
        doctor.repair(request, observer);
    }

    @Override
    public void deletePod(DeletePodRequest request, StreamObserver<DeletePodReply> observer) {
        Answers.now(observer, () -> {
            PodRef pod = Answers.pod(request.getPod());
            served.pods().delete(pod);
            return DeletePodReply.newBuilder()
                    .setPod(pod.toString())
                    .addAllLeases(served.engine().leasesOf(pod).stream()
                            .map(LeaseWire::lease)
                            .toList())
                    .build();
        });
    }

    @Override
    public void addCloudFault(AddCloudFaultRequest request, StreamObserver<AddCloudFaultReply> observer) {
        Answers.now(observer, () -> cloud.add(request));
    }

    @Override
    public void removeCloudFault(RemoveCloudFaultRequest request, StreamObserver<RemoveCloudFaultReply> observer) {
        Answers.now(observer, () -> cloud.remove(request));
    }

    @Override
    public void setCloudLatency(SetCloudLatencyRequest request, StreamObserver<SetCloudLatencyReply> observer) {
        Answers.now(observer, () -> cloud.latency(request));
    }

    @Override
    public void setCloudThrottle(SetCloudThrottleRequest request, StreamObserver<SetCloudThrottleReply> observer) {
        Answers.now(observer, () -> cloud.throttle(request));
    }

    @Override
    public void resetCloud(ResetCloudRequest request, StreamObserver<ResetCloudReply> observer) {
        Answers.now(observer, cloud::reset);
    }

    @Override
    public void actOnCloud(ActOnCloudRequest request, StreamObserver<ActOnCloudReply> observer) {
        Answers.now(observer, () -> cloud.act(request));
    }

    @Override
    public void swapPolicy(SwapPolicyRequest request, StreamObserver<SwapPolicyReply> observer) {
        long begun = now();
        Answers.later(
                observer,
                () -> served.plugins().swaps().policy(request.getName(), request.getDryRun()),
                swap -> PluginWire.swap(swap, since(begun)));
    }

    @Override
    public void swapFactory(SwapFactoryRequest request, StreamObserver<SwapFactoryReply> observer) {
        long begun = now();
        Answers.later(
                observer,
                () -> served.plugins().swaps().factory(request.getName(), request.getDryRun()),
                swap -> PluginWire.swap(swap, since(begun)));
    }

    private long now() {
        return served.facts().time().nanoTime();
    }

    private Duration since(long begun) {
        return Duration.ofNanos(now() - begun);
    }
}
