package io.enipam.frontends.rpc;

import io.enipam.diagnostics.sources.Statement;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.SyncFinding;
import io.enipam.v1.SyncReport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the cloud took, gave back or has besides, on the wire. */
final class ReconcileMapper {
    private static final int NAMED = 3;

    private ReconcileMapper() {}

    static SyncReport report(ReconcileReport report) {
        return SyncReport.newBuilder()
                .setStartedAt(ProtoTime.timestamp(report.startedAt()))
                .setTook(ProtoTime.duration(Duration.between(report.startedAt(), report.finishedAt())))
                .setListed(report.listed())
                .addAllFindings(
                        report.findings().stream().map(ReconcileMapper::finding).toList())
                .addAllProblems(report.problems())
                .build();
    }

    private static SyncFinding finding(ReconcileReport.Finding finding) {
        SyncFinding.Builder wire = SyncFinding.newBuilder()
                .setKind(finding.kind().name())
                .setResource(LeaseMapper.resource(finding.resource()))
                .setDetail(finding.detail());
        finding.pod().ifPresent(pod -> wire.setPod(pod.toString()));
        return wire.build();
    }

    /** A line for each ENI of which the cloud has taken addresses that pods have. */
    static List<String> conditions(PoolView pool) {
        Map<String, List<PoolView.Entry>> byEni = pool.entries().stream()
                .filter(entry ->
                        entry.state() == ResourceState.INVALID && entry.owner().isPresent())
                .collect(Collectors.groupingBy(
                        entry -> Statement.eniOf(entry.resource()), TreeMap::new, Collectors.toList()));
        return byEni.entrySet().stream()
                .map(eni -> eni.getValue().size() == 1
                        ? condition(eni.getValue().get(0))
                        : condition(eni.getKey(), eni.getValue()))
                .toList();
    }

    private static String condition(PoolView.Entry entry) {
        return "pod " + entry.pod().map(Object::toString).orElse("") + " has no network: the cloud took "
                + AddressFormat.of(entry.resource())
                + (entry.resource().parent().isEmpty()
                        ? ""
                        : " off " + entry.resource().parent())
                + "; delete the pod";
    }

    private static String condition(String eni, List<PoolView.Entry> entries) {
        String first = entries.stream()
                .flatMap(entry -> entry.pod().stream())
                .map(Object::toString)
                .sorted()
                .limit(NAMED)
                .collect(Collectors.joining(", "));
        int more = entries.size() - NAMED;
        return entries.size() + " pods have no network: the cloud took their addresses on " + eni
                + " away; delete them (" + first + (more > 0 ? " and " + more + " more" : "")
                + ") unless it comes back";
    }

    /** The states of what is lent, by owner. */
    static Map<OwnerKey, ResourceState> states(PoolView pool) {
        Map<OwnerKey, ResourceState> states = new HashMap<>();
        pool.entries().forEach(entry -> entry.owner().ifPresent(owner -> states.put(owner, entry.state())));
        return states;
    }
}
