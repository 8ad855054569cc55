package io.enipam.frontends.rpc;

import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.Doctor.Diagnosis;
import io.enipam.diagnostics.doctor.Doctor.Finding;
import io.enipam.diagnostics.doctor.Doctor.RepairResult;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.ProcessChecks.Versions;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.v1.DoctorCheck;
import io.enipam.v1.DoctorEvidence;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.ListDoctorChecksReply;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The doctor's checks, findings and repairs. Thread-safe. */
final class DoctorHandler {
    private final Doctor doctor;
    private final String version;

    /** @param version the daemon's */
    DoctorHandler(Doctor doctor, String version) {
        this.doctor = doctor;
        this.version = version;
    }

    CompletionStage<RunDoctorReply> run(RunDoctorRequest request) {
        return doctor.examine(request.getChecksList(), List.of(new Versions(version, request.getClientVersion())))
                .thenApply(DoctorHandler::diagnosis);
    }

    ListDoctorChecksReply list() {
        return ListDoctorChecksReply.newBuilder()
                .addAllChecks(Proto.all(doctor.catalogue(), DoctorHandler::check))
                .build();
    }

    CompletionStage<RepairFindingReply> repair(RepairFindingRequest request) {
        return doctor.repair(request.getName(), request.getDryRun()).thenApply(DoctorHandler::repaired);
    }

    static RunDoctorReply diagnosis(Diagnosis diagnosis) {
        return RunDoctorReply.newBuilder()
                .setAt(Proto.timestamp(diagnosis.at()))
                .setTook(Proto.duration(diagnosis.took()))
                .setWorst(diagnosis.worst().name())
                .addAllFindings(Proto.all(diagnosis.findings(), DoctorHandler::finding))
                .build();
    }

    private static DoctorFinding finding(Finding finding) {
        return DoctorFinding.newBuilder()
                .setCheck(finding.check().id())
                .setSeverity(finding.severity().name())
                .setSummary(finding.outcome().summary())
                .addAllEvidence(Proto.all(finding.outcome().evidence(), DoctorHandler::evidence))
                .setWhy(finding.wanting() ? finding.check().why() : "")
                .setFix(finding.fix())
                .setRepairable(finding.repairable())
                .setNotApplicable(!finding.outcome().applicable())
                .setTook(Proto.duration(finding.took()))
                .build();
    }

    private static DoctorEvidence evidence(Evidence evidence) {
        DoctorEvidence.Builder wire = DoctorEvidence.newBuilder()
                .setSubject(evidence.subject())
                .setSeen(evidence.seen())
                .setSource(evidence.source());
        evidence.since().ifPresent(since -> wire.setSince(Proto.timestamp(since)));
        return wire.build();
    }

    static DoctorCheck check(Check check) {
        return DoctorCheck.newBuilder()
                .setId(check.id())
                .setTitle(check.title())
                .setWorst(check.worst().name())
                .setLooksAt(check.looksAt())
                .setWhy(check.why())
                .setFix(check.fix())
                .setRepair(check.repair().map(Repair::words).orElse(""))
                .build();
    }

    static RepairFindingReply repaired(RepairResult result) {
        RepairFindingReply.Builder reply = RepairFindingReply.newBuilder()
                .setCheck(result.before().check().id())
                .setDryRun(result.dryRun())
                .addAllSteps(result.steps())
                .setBefore(finding(result.before()))
                .setTook(Proto.duration(result.took()));
        result.after().ifPresent(after -> reply.setAfter(finding(after)));
        return reply.build();
    }
}
