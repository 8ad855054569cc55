package io.enipam.frontends.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.config.DaemonConfig;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.Doctor.Finding;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.explain.Explainer;
import io.enipam.diagnostics.explain.Explanation;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.http.CallCounts;
import io.enipam.engine.lease.AddProcedure;
import io.enipam.engine.lease.DelProcedure;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.GrantDirectory;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.TraceSink;
import io.enipam.engine.startup.StartupProgress;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.frontends.cni.StaleAttachmentCleaner;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.node.cluster.ClusterInspector;
import io.enipam.observability.history.Meters;
import io.enipam.observability.history.Sample;
import io.enipam.platform.LogRing;
import io.enipam.pluginhost.PluginReloader;
import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.PluginSwapper;
import io.enipam.pluginhost.controller.ControllerView;
import io.enipam.pluginhost.endpoint.Endpoints;
import io.enipam.pluginhost.extension.EffectQueue;
import io.enipam.pluginhost.extension.Extensions;
import io.enipam.pluginhost.extension.Voting;
import io.enipam.pluginhost.guard.PluginCallCounts;
import io.enipam.pluginhost.load.LoadedPlugin;
import io.enipam.sdk.Resource;
import io.enipam.sdk.Setting;
import io.enipam.sdk.ledger.HeldGrant;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.store.DatabaseTools;
import io.enipam.store.Verification;
import io.enipam.v1.ApiMeter;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.CloudCallCount;
import io.enipam.v1.CloudFault;
import io.enipam.v1.CloudMeter;
import io.enipam.v1.ClusterCredential;
import io.enipam.v1.ClusterRequestCount;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.CompactDbReply;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.ControllerCounts;
import io.enipam.v1.ControllerLoad;
import io.enipam.v1.DbCheck;
import io.enipam.v1.DbLostLease;
import io.enipam.v1.DbProblem;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DbRestore;
import io.enipam.v1.DoctorCheck;
import io.enipam.v1.DoctorEvidence;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.FailCall;
import io.enipam.v1.FailingKey;
import io.enipam.v1.GcCollected;
import io.enipam.v1.GcMeter;
import io.enipam.v1.GcSpared;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.LastRun;
import io.enipam.v1.LatencyBucket;
import io.enipam.v1.LeaseHistoryState;
import io.enipam.v1.LogRecord;
import io.enipam.v1.NextStep;
import io.enipam.v1.PendingValue;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginBallot;
import io.enipam.v1.PluginCalls;
import io.enipam.v1.PluginController;
import io.enipam.v1.PluginEffect;
import io.enipam.v1.PluginEndpoint;
import io.enipam.v1.PluginExtension;
import io.enipam.v1.PluginGrant;
import io.enipam.v1.PluginPart;
import io.enipam.v1.PluginSetting;
import io.enipam.v1.PluginVote;
import io.enipam.v1.PodInfo;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.PoolOrder;
import io.enipam.v1.PoolProspect;
import io.enipam.v1.ProcessGauge;
import io.enipam.v1.ReloadPluginReply;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.SetCloudLatencyReply;
import io.enipam.v1.SetCloudThrottleReply;
import io.enipam.v1.SourceDifference;
import io.enipam.v1.SourceStatement;
import io.enipam.v1.StartupStep;
import io.enipam.v1.StickEni;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapPolicyReply;
import io.enipam.v1.SweepReport;
import io.enipam.v1.SweptEni;
import io.enipam.v1.SyncFinding;
import io.enipam.v1.SyncReport;
import io.enipam.v1.TraceMemory;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import io.enipam.v1.VerifyDbReply;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which fields of a message are filled from values by their names, and which the handlers set. */
class ProtoTest {
    static Stream<Arguments> messages() {
        return Stream.of(
                row(io.enipam.v1.Lease.getDescriptor(), "state", Lease.class),
                row(io.enipam.v1.Resource.getDescriptor(), "", Resource.class),
                row(io.enipam.v1.Pool.getDescriptor(), "order", PoolSummary.class),
                row(PoolEntry.getDescriptor(), "", PoolView.Entry.class),
                row(PoolOrder.getDescriptor(), "", CapacityOverride.class),
                row(PoolProspect.getDescriptor(), "", CapacityOverride.OverridePreview.class),
                row(
                        io.enipam.v1.GcReport.getDescriptor(),
                        "collected_grants examined_grants spared_grants took",
                        GcReport.class),
                row(GcCollected.getDescriptor(), "", GcReport.Collected.class),
                row(GcSpared.getDescriptor(), "", GcReport.Spared.class, OrphanDecision.Spared.class),
                row(SyncReport.getDescriptor(), "took", ReconcileReport.class),
                row(SyncFinding.getDescriptor(), "", ReconcileReport.Finding.class),
                row(SweepReport.getDescriptor(), "", EniSweeper.Report.class),
                row(SweptEni.getDescriptor(), "", EniSweeper.Candidate.class),
                row(Eni.getDescriptor(), "ipv6_addresses trouble trouble_since", EniDirectory.Eni.class),
                row(EniAddress.getDescriptor(), "address primary", PoolView.Entry.class),
                row(
                        PodInfo.getDescriptor(),
                        "grants known leases pod told_addresses trouble trouble_since",
                        Pod.class,
                        WatchedPod.PodDetails.class),
                row(io.enipam.v1.Event.getDescriptor(), "", Event.class),
                row(LogRecord.getDescriptor(), "thrown", LogRing.Line.class),
                row(ConfigEntry.getDescriptor(), "", DaemonConfig.Entry.class),
                row(PendingValue.getDescriptor(), "", DaemonConfig.Pending.class),
                row(StartupStep.getDescriptor(), "name words", StartupProgress.StepReport.class),
                row(
                        GetStatusReply.getDescriptor(),
                        "cloud cluster conditions detail enis last_gc last_run last_sync leader leads phase phase_since pid pool"
                                + " startup troubles",
                        ServiceContext.DaemonInfo.class),
                row(io.enipam.v1.Trouble.getDescriptor(), "", Trouble.class),
                row(LastRun.getDescriptor(), "", ServiceContext.LastRun.class),
                row(CniAddReply.getDescriptor(), "took", AddProcedure.AddOutcome.class),
                row(CniDelReply.getDescriptor(), "took until", DelProcedure.DelOutcome.class),
                row(CniGcReply.getDescriptor(), "report", StaleAttachmentCleaner.CleanupReport.class),
                row(CloudCall.getDescriptor(), "", ApiCallLog.CloudCall.class),
                row(
                        CloudApiBudget.getDescriptor(),
                        "latencies max p50 p99",
                        ApiQuotaStatus.class,
                        ApiQuotaStatus.Quota.class),
                row(LatencyBucket.getDescriptor(), "", LatencySnapshot.Bucket.class),
                row(CloudCallCount.getDescriptor(), "", CallCounts.ActionCallStats.class),
                row(
                        CloudFault.getDescriptor(),
                        "delay drop every fail nth percent stick tear throttle",
                        FaultPlan.Entry.class,
                        FaultRule.class),
                row(FailCall.getDescriptor(), "", Effect.Fail.class),
                row(StickEni.getDescriptor(), "", Effect.Stick.class),
                row(SetCloudLatencyReply.getDescriptor(), "", EmulatedCloudHandler.Change.class),
                row(SetCloudThrottleReply.getDescriptor(), "", EmulatedCloudHandler.Change.class),
                row(
                        ClusterStatus.getDescriptor(),
                        "events_lost last_heard leases_on_trust requests_last_minute requests_per_second throttled"
                                + " watching",
                        ClusterInspector.ClusterState.class,
                        ClusterInspector.WatchState.class),
                row(ClusterRequestCount.getDescriptor(), "", RequestStats.Count.class),
                row(ClusterCredential.getDescriptor(), "", CredentialStatus.class),
                row(HistorySample.getDescriptor(), "age", PoolSummary.class, Sample.Counts.class, Sample.class),
                row(CallMeter.getDescriptor(), "", Sample.CallCount.class, Sample.CallTimes.class),
                row(CloudMeter.getDescriptor(), "", Sample.CloudCount.class),
                row(ApiMeter.getDescriptor(), "", Sample.CloudCount.Api.class),
                row(GcMeter.getDescriptor(), "", Sample.GcCount.class),
                row(ProcessGauge.getDescriptor(), "", Sample.ProcessGauge.class),
                row(GetMetersReply.getDescriptor(), "interval samples", Meters.Totals.class, Sample.Counts.class),
                row(io.enipam.v1.LeaseRecord.getDescriptor(), "", LeaseRecord.class),
                row(io.enipam.v1.LeaseEnd.getDescriptor(), "", LeaseEnd.class),
                row(LeaseHistoryState.getDescriptor(), "complete_since", LeaseHistory.State.class),
                row(TraceMemory.getDescriptor(), "kept kept_since most_bytes most_stories", TraceRing.Memory.class),
                row(
                        TraceStory.getDescriptor(),
                        "begin message spans spans_dropped",
                        TraceSnapshot.class,
                        TraceSink.Subject.class),
                row(TraceSpan.getDescriptor(), "begin message step", TraceSnapshot.Step.class),
                row(RunDoctorReply.getDescriptor(), "", Doctor.Diagnosis.class),
                row(DoctorFinding.getDescriptor(), "not_applicable why", Finding.class, Outcome.class),
                row(DoctorEvidence.getDescriptor(), "", Outcome.Evidence.class),
                row(DoctorCheck.getDescriptor(), "", Check.class),
                row(RepairFindingReply.getDescriptor(), "check", Doctor.RepairResult.class),
                row(ExplainReply.getDescriptor(), "plugins", Explainer.Answer.class),
                row(
                        io.enipam.v1.Explanation.getDescriptor(),
                        "",
                        Explanation.class,
                        Explanation.Condition.class,
                        Explanation.Holder.class,
                        Explanation.Location.class),
                row(NextStep.getDescriptor(), "", Explanation.NextStep.class),
                row(EniAddress.getDescriptor(), "", Explanation.HeldAddress.class),
                row(SourceStatement.getDescriptor(), "", Explanation.SourceSummary.class, Snapshot.SourceReply.class),
                row(SourceDifference.getDescriptor(), "", Difference.class),
                row(DbRecord.getDescriptor(), "value", ResourceDb.RawRecord.class),
                row(VerifyDbReply.getDescriptor(), "problems_left_out took", Verification.class),
                row(DbCheck.getDescriptor(), "problems", Verification.Check.class),
                row(DbProblem.getDescriptor(), "", Verification.Problem.class),
                row(
                        BackupDbReply.getDescriptor(),
                        "path taken_at took",
                        DatabaseTools.Backup.class,
                        DatabaseTools.FileHeader.Moment.class),
                row(
                        DbRestore.getDescriptor(),
                        "dry_run file kept_leases kind lost_leases returning_leases staged_at taken_at took",
                        DatabaseTools.RestorePlan.class,
                        DatabaseTools.NodeName.class,
                        DatabaseTools.FileHeader.Moment.class),
                row(DbLostLease.getDescriptor(), "", DatabaseTools.RestorePlan.Lost.class),
                row(
                        CompactDbReply.getDescriptor(),
                        "bytes_after bytes_before files_after files_before took",
                        DatabaseTools.Compaction.class),
                row(
                        Plugin.getDescriptor(),
                        "calls failures sdk state_since",
                        PluginReport.class,
                        PluginReport.Parts.class,
                        LoadedPlugin.PluginManifest.class),
                row(PluginExtension.getDescriptor(), "", Extensions.ExtensionView.class),
                row(PluginController.getDescriptor(), "", ControllerView.class),
                row(ControllerLoad.getDescriptor(), "", ControllerView.Load.class),
                row(ControllerCounts.getDescriptor(), "", ControllerView.Counts.class),
                row(FailingKey.getDescriptor(), "", ControllerView.FailingKey.class),
                row(PluginEffect.getDescriptor(), "", EffectQueue.EffectView.class, PendingEffect.class),
                row(PluginBallot.getDescriptor(), "", Voting.BallotView.class),
                row(PluginVote.getDescriptor(), "", Voting.VoteView.class),
                row(PluginEndpoint.getDescriptor(), "", Endpoints.EndpointView.class),
                row(
                        PluginGrant.getDescriptor(),
                        "addresses attributes effects state",
                        HeldGrant.class,
                        GrantDirectory.ServedClaim.class),
                row(PluginPart.getDescriptor(), "", PluginReport.Part.class),
                row(PluginSetting.getDescriptor(), "secret source value", Setting.class),
                row(PluginCalls.getDescriptor(), "", PluginReport.Counts.class, PluginCallCounts.class),
                row(SwapPolicyReply.getDescriptor(), "took", PluginSwapper.PolicySwap.class),
                row(SwapFactoryReply.getDescriptor(), "took", PluginSwapper.FactorySwap.class),
                row(ReloadPluginReply.getDescriptor(), "took", PluginReloader.PluginReload.class));
    }

    /** @param set the fields that the handlers set, by name, with a blank between */
    private static Arguments row(Descriptor message, String set, Class<?>... values) {
        return Arguments.of(message, set, List.of(values));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("messages")
    void eachFieldIsFilledOrSet(Descriptor message, String set, List<Class<?>> values) {
        Set<String> names = message.getFields().stream()
                .map(FieldDescriptor::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        values.forEach(value -> Proto.getters(message, value).keySet().forEach(field -> names.remove(field.getName())));

        assertThat(names).isEqualTo(new TreeSet<>(Arrays.asList(set.isEmpty() ? new String[0] : set.split(" "))));
    }
}
