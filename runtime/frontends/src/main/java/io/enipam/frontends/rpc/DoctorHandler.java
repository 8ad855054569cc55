package io.enipam.frontends.rpc;

import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.Doctor.Finding;
import io.enipam.diagnostics.doctor.Doctor.RepairResult;
import io.enipam.diagnostics.doctor.ProcessChecks.Versions;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.v1.DoctorCheck;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The doctor's checks, findings and repairs. Thread-safe.
 *
 * @param version the daemon's
 */
record DoctorHandler(Doctor doctor, String version) {
    CompletionStage<RunDoctorReply> run(RunDoctorRequest request) {
        return doctor.examine(request.getChecksList(), List.of(new Versions(version, request.getClientVersion())))
                .thenApply(diagnosis -> Proto.fill(
                                RunDoctorReply.newBuilder()
                                        .addAllFindings(Proto.all(diagnosis.findings(), DoctorHandler::finding)),
                                diagnosis)
                        .build());
    }

    List<DoctorCheck> list() {
        return Proto.all(
                doctor.catalogue(),
                check -> Proto.fill(DoctorCheck.newBuilder(), check)
                        .setRepair(check.repair().map(Repair::words).orElse(""))
                        .build());
    }

    CompletionStage<RepairFindingReply> repair(RepairFindingRequest request) {
        return doctor.repair(request.getName(), request.getDryRun()).thenApply(DoctorHandler::repaired);
    }

    private static DoctorFinding finding(Finding finding) {
        return Proto.fill(DoctorFinding.newBuilder(), finding, finding.outcome())
                .setCheck(finding.check().id())
                .setWhy(finding.wanting() ? finding.check().why() : "")
                .setNotApplicable(!finding.outcome().applicable())
                .build();
    }

    private static RepairFindingReply repaired(RepairResult result) {
        RepairFindingReply.Builder reply = RepairFindingReply.newBuilder()
                .setCheck(result.before().check().id())
                .setBefore(finding(result.before()));
        result.after().ifPresent(after -> reply.setAfter(finding(after)));
        return Proto.fill(reply, result).build();
    }
}
