package io.enipam.daemon;

import io.enipam.diagnostics.doctor.FileRights;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.port.EniSweeper;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.recovery.DatabaseService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Maps repairs to actions: the daemon's own routines and the operators' commands. */
record RepairActions(QueryModule query, FileRights files, KernelProbes kernel) {
    /** Those that a daemon of each role can do. */
    static Map<Repair, Repair.Operation> ofEachRole(DatabaseService database, FileRights files) {
        return Map.of(
                Repair.COMPACT,
                dryRun -> dryRun
                        ? would("write a checkpoint and remove the journal files it makes unnecessary")
                        : database.compact().thenApply(done -> List.of("wrote a checkpoint: " + done)),
                Repair.MODES,
                dryRun -> modes(files, dryRun));
    }

    Map<Repair, Repair.Operation> repairs() {
        EngineModule running = query.running();
        ActiveSelection inForce = query.on().supply().plugins.inForce;
        Map<Repair, Repair.Operation> all = new EnumMap<>(ofEachRole(running.database, files));
        all.putAll(Map.of(
                Repair.GC,
                dryRun -> running.engine.collect(dryRun).thenApply(RepairActions::collected),
                Repair.SYNC,
                dryRun -> dryRun
                        ? would("compare the pool with the cloud, and bring it in line")
                        : running.engine.reconcile().thenApply(RepairActions::synced),
                Repair.SWEEP,
                dryRun -> query.on().session().access().sweep(dryRun).thenApply(RepairActions::swept),
                Repair.POLICY,
                dryRun -> running.plugins
                        .swaps()
                        .policy(inForce.selectedPolicy(), dryRun)
                        .thenApply(swap ->
                                List.of((dryRun ? "would put " : "put ") + "the policy " + swap.to() + " in force")),
                Repair.KERNEL,
                kernel::repair));
        return all;
    }

    private static CompletionStage<List<String>> would(String what) {
        return CompletableFuture.completedFuture(List.of("would " + what));
    }

    private static List<String> orElse(List<String> steps, String nothing) {
        return steps.isEmpty() ? List.of(nothing) : steps;
    }

    private static String name(Lease lease) {
        return " the lease of " + lease.pod() + ", " + lease.resource().id() + ": ";
    }

    private static List<String> collected(GcReport report) {
        List<String> steps = new ArrayList<>();
        String ended = report.dryRun() ? "would end" : "ended";
        report.collected().forEach(found -> steps.add(ended + name(found.lease()) + found.reason()));
        report.spared()
                .forEach(kept ->
                        steps.add("left" + name(kept.lease()) + kept.decision().reason()));
        report.problems().forEach(problem -> steps.add("could not judge: " + problem));
        return orElse(steps, "ran; there was nothing to collect");
    }

    private static List<String> synced(ReconcileReport report) {
        List<String> steps = new ArrayList<>();
        report.findings()
                .forEach(
                        found -> steps.add(found.kind() + " " + found.resource().id() + ": " + found.detail()));
        report.problems().forEach(problem -> steps.add("could not ask: " + problem));
        return orElse(steps, "compared " + report.listed() + " resources; nothing had to be changed");
    }

    private static List<String> swept(EniSweeper.Report report) {
        String deleted = report.dryRun() ? "would delete " : "deleting ";
        return orElse(
                report.candidates().stream()
                        .map(eni -> (eni.taken() ? deleted : "left ") + eni.id() + ": " + eni.reason())
                        .toList(),
                "swept; there was nothing to delete");
    }

    private static CompletionStage<List<String>> modes(FileRights files, boolean dryRun) {
        try {
            return CompletableFuture.completedFuture(files.mend(dryRun));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(new IpamException(
                    ErrorCode.STORE_FAILED, "the rights cannot be changed: " + e.getMessage(), "chmod as root", e));
        }
    }
}
