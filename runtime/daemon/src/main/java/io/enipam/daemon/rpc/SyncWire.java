package io.enipam.daemon.rpc;

import io.enipam.engine.model.Hosts;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.reconcile.ReconcileReport;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.SyncFinding;
import io.enipam.v1.SyncReport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the cloud took, gave back or has besides, on the wire. */
final class SyncWire {
    private SyncWire() {}

    static SyncReport report(ReconcileReport report) {
        return SyncReport.newBuilder()
                .setStartedAt(ProtoTime.timestamp(report.startedAt()))
                .setTook(ProtoTime.duration(Duration.between(report.startedAt(), report.finishedAt())))
                .setListed(report.listed())
                .addAllFindings(
                        report.findings().stream().map(SyncWire::finding).toList())
                .addAllProblems(report.problems())
                .build();
    }

    private static SyncFinding finding(ReconcileReport.Finding finding) {
        SyncFinding.Builder wire = SyncFinding.newBuilder()
                .setKind(finding.kind().name())
                .setResource(LeaseWire.resource(finding.resource()))
                .setDetail(finding.detail());
        finding.pod().ifPresent(pod -> wire.setPod(pod.toString()));
        return wire.build();
    }

    /** A line for each address that a pod has and the cloud has not. */
    static List<String> conditions(PoolView pool) {
        return pool.entries().stream()
                .filter(entry ->
                        entry.state() == ResourceState.INVALID && entry.owner().isPresent())
                .map(entry -> "pod " + entry.pod().map(Object::toString).orElse("") + " has no network: the cloud took "
                        + Hosts.of(entry.resource())
                        + (entry.resource().parent().isEmpty()
                                ? ""
                                : " off " + entry.resource().parent())
                        + "; delete the pod")
                .toList();
    }

    /** The states of what is lent, by owner. */
    static Map<OwnerKey, ResourceState> states(PoolView pool) {
        Map<OwnerKey, ResourceState> states = new HashMap<>();
        pool.entries().forEach(entry -> entry.owner().ifPresent(owner -> states.put(owner, entry.state())));
        return states;
    }
}
