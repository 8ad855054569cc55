package io.enipam.daemon;

import io.enipam.diagnostics.doctor.FileRights;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.port.EniSweeper;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.PluginServices;
import io.enipam.recovery.DatabaseService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Maps repairs to actions: the daemon's own routines and the operators' commands. */
record RepairActions(
        IpamEngine engine,
        CloudAccess cloud,
        DatabaseService desk,
        PluginServices plugins,
        ActiveSelection inForce,
        FileRights files,
        KernelProbes kernel) {
    Map<Repair, Repair.Operation> repairs() {
        return Map.of(
                Repair.GC,
                dryRun -> engine.collect(dryRun).thenApply(RepairActions::collected),
                Repair.SYNC,
                this::synced,
                Repair.SWEEP,
                dryRun -> cloud.sweep(dryRun).thenApply(RepairActions::swept),
                Repair.COMPACT,
                this::compacted,
                Repair.POLICY,
                dryRun -> plugins.swaps()
                        .policy(inForce.selectedPolicy(), dryRun)
                        .thenApply(swap ->
                                List.of((dryRun ? "would put " : "put ") + "the policy " + swap.to() + " in force")),
                Repair.MODES,
                this::modes,
                Repair.KERNEL,
                kernel::mended);
    }

    private static List<String> collected(GcReport report) {
        List<String> steps = new ArrayList<>();
        report.collected()
                .forEach(found -> steps.add((report.dryRun() ? "would end" : "ended") + " the lease of "
                        + found.lease().pod() + ", " + found.lease().resource().id() + ": " + found.reason()));
        report.spared()
                .forEach(left -> steps.add("left the lease of " + left.lease().pod() + ", "
                        + left.lease().resource().id() + ": " + left.decision().reason()));
        report.problems().forEach(problem -> steps.add("could not judge: " + problem));
        return steps.isEmpty() ? List.of("ran; there was nothing to collect") : steps;
    }

    private CompletionStage<List<String>> synced(boolean dryRun) {
        if (dryRun) {
            return CompletableFuture.completedFuture(
                    List.of("would compare the pool with the cloud, and bring it in line"));
        }
        return engine.reconcile().thenApply(RepairActions::told);
    }

    private static List<String> told(ReconcileReport report) {
        List<String> steps = new ArrayList<>();
        report.findings()
                .forEach(
                        found -> steps.add(found.kind() + " " + found.resource().id() + ": " + found.detail()));
        report.problems().forEach(problem -> steps.add("could not ask: " + problem));
        return steps.isEmpty()
                ? List.of("compared " + report.listed() + " resources; nothing had to be changed")
                : steps;
    }

    private static List<String> swept(EniSweeper.Report report) {
        List<String> steps = report.candidates().stream()
                .map(eni -> (eni.taken() ? (report.dryRun() ? "would delete " : "deleting ") : "left ") + eni.id()
                        + ": " + eni.reason())
                .toList();
        return steps.isEmpty() ? List.of("swept; there was nothing to delete") : steps;
    }

    private CompletionStage<List<String>> compacted(boolean dryRun) {
        if (dryRun) {
            return CompletableFuture.completedFuture(
                    List.of("would write a checkpoint and remove the journal files it makes unnecessary"));
        }
        return desk.compact().thenApply(done -> List.of("wrote a checkpoint: " + done));
    }

    private CompletionStage<List<String>> modes(boolean dryRun) {
        try {
            return CompletableFuture.completedFuture(files.mend(dryRun));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(new IpamException(
                    ErrorCode.STORE_FAILED, "the rights cannot be changed: " + e.getMessage(), "chmod as root", e));
        }
    }
}
