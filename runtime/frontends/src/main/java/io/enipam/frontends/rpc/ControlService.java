package io.enipam.frontends.rpc;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
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
    private final ServiceContext served;
    private final CniRequestReader calls;
    private final EmulatedCloudHandler cloud;
    private final DatabaseChangeHandler db;
    private final OverrideHandler orders;
    private final DoctorHandler doctor;

    public ControlService(ServiceContext served) {
        this.served = served;
        this.calls = new CniRequestReader(served);
        this.cloud = new EmulatedCloudHandler(served.emulated());
        this.orders = new OverrideHandler(served.orders());
        this.db = new DatabaseChangeHandler(served.database(), served.facts().time());
        this.doctor = new DoctorHandler(served.doctor(), served.facts().version());
    }

    @Override
    public void cniAdd(CniAddRequest request, StreamObserver<CniAddReply> observer) {
        long begun = now();
        UnaryReplies.async(
                observer,
                () -> add(calls.add(request)),
                outcome -> CniAddReply.newBuilder()
                        .setLease(LeaseMapper.lease(outcome.lease()))
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
        UnaryReplies.async(observer, () -> del(request), outcome -> deleted(outcome, since(begun)));
    }

    private CompletionStage<Optional<DelOutcome>> del(CniDelRequest request) {
        Optional<OwnerKey> owner = calls.ownerToEnd(request);
        return owner.isEmpty()
                ? CompletableFuture.completedStage(Optional.empty())
                : served.engine().del(owner.get(), CniRequestReader.by()).thenApply(Optional::of);
    }

    private static CniDelReply deleted(Optional<DelOutcome> outcome, Duration took) {
        CniDelReply.Builder reply = CniDelReply.newBuilder().setTook(ProtoTime.duration(took));
        outcome.flatMap(DelOutcome::released).ifPresent(lease -> {
            reply.setReleased(LeaseMapper.lease(lease));
            reply.setState(outcome.flatMap(DelOutcome::state)
                    .orElse(ResourceState.IDLE)
                    .name());
            outcome.flatMap(DelOutcome::hold).ifPresent(hold -> reply.setUntil(ProtoTime.timestamp(hold.until())));
        });
        return reply.build();
    }

    @Override
    public void cniGc(CniGcRequest request, StreamObserver<CniGcReply> observer) {
        UnaryReplies.async(observer, () -> calls.gc(request, served.facts().time()), reply -> reply);
    }

    @Override
    public void runGc(RunGcRequest request, StreamObserver<RunGcReply> observer) {
        UnaryReplies.async(
                observer,
                () -> served.engine().collect(request.getDryRun()),
                report -> RunGcReply.newBuilder()
                        .setReport(LeaseMapper.report(report))
                        .build());
    }

    @Override
    public void syncPool(SyncPoolRequest request, StreamObserver<SyncPoolReply> observer) {
        UnaryReplies.async(
                observer,
                () -> served.engine().reconcile(),
                report -> SyncPoolReply.newBuilder()
                        .setReport(ReconcileMapper.report(report))
                        .build());
    }

    @Override
    public void warmPool(WarmPoolRequest request, StreamObserver<WarmPoolReply> observer) {
        UnaryReplies.sync(observer, () -> orders.warm(request));
    }

    @Override
    public void drainPool(DrainPoolRequest request, StreamObserver<DrainPoolReply> observer) {
        UnaryReplies.sync(observer, () -> orders.drain(request));
    }

    @Override
    public void sweepEnis(SweepEnisRequest request, StreamObserver<SweepEnisReply> observer) {
        UnaryReplies.async(
                observer,
                () -> served.sweeper().sweep(request.getDryRun()),
                report -> SweepEnisReply.newBuilder()
                        .setReport(SweepMapper.report(report))
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
        UnaryReplies.sync(observer, () -> {
            PodRef pod = UnaryReplies.pod(request.getPod());
            served.pods().delete(pod);
            return DeletePodReply.newBuilder()
                    .setPod(pod.toString())
                    .addAllLeases(served.engine().leasesOf(pod).stream()
                            .map(LeaseMapper::lease)
                            .toList())
                    .build();
        });
    }

    @Override
    public void addCloudFault(AddCloudFaultRequest request, StreamObserver<AddCloudFaultReply> observer) {
        UnaryReplies.sync(observer, () -> cloud.add(request));
    }

    @Override
    public void removeCloudFault(RemoveCloudFaultRequest request, StreamObserver<RemoveCloudFaultReply> observer) {
        UnaryReplies.sync(observer, () -> cloud.remove(request));
    }

    @Override
    public void setCloudLatency(SetCloudLatencyRequest request, StreamObserver<SetCloudLatencyReply> observer) {
        UnaryReplies.sync(observer, () -> cloud.latency(request));
    }

    @Override
    public void setCloudThrottle(SetCloudThrottleRequest request, StreamObserver<SetCloudThrottleReply> observer) {
        UnaryReplies.sync(observer, () -> cloud.throttle(request));
    }

    @Override
    public void resetCloud(ResetCloudRequest request, StreamObserver<ResetCloudReply> observer) {
        UnaryReplies.sync(observer, cloud::reset);
    }

    @Override
    public void actOnCloud(ActOnCloudRequest request, StreamObserver<ActOnCloudReply> observer) {
        UnaryReplies.sync(observer, () -> cloud.act(request));
    }

    @Override
    public void swapPolicy(SwapPolicyRequest request, StreamObserver<SwapPolicyReply> observer) {
        long begun = now();
        UnaryReplies.async(
                observer,
                () -> served.plugins().swaps().policy(request.getName(), request.getDryRun()),
                swap -> PluginMapper.swap(swap, since(begun)));
    }

    @Override
    public void swapFactory(SwapFactoryRequest request, StreamObserver<SwapFactoryReply> observer) {
        long begun = now();
        UnaryReplies.async(
                observer,
                () -> served.plugins().swaps().factory(request.getName(), request.getDryRun()),
                swap -> PluginMapper.swap(swap, since(begun)));
    }

    private long now() {
        return served.facts().time().nanoTime();
    }

    private Duration since(long begun) {
        return Duration.ofNanos(now() - begun);
    }
}
