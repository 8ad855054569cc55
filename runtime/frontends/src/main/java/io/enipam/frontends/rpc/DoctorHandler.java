package io.enipam.frontends.rpc;

import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Doctor.Diagnosis;
import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.ProcessChecks.Versions;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Finding;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Doctor.RepairResult;
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
                .addAllChecks(
                        doctor.catalogue().stream().map(DoctorHandler::check).toList())
                .build();
    }

    CompletionStage<RepairFindingReply> repair(RepairFindingRequest request) {
        return doctor.repair(request.getName(), request.getDryRun()).thenApply(DoctorHandler::treatment);
    }

    static RunDoctorReply diagnosis(Diagnosis diagnosis) {
        return RunDoctorReply.newBuilder()
                .setAt(ProtoTime.timestamp(diagnosis.at()))
                .setTook(ProtoTime.duration(diagnosis.took()))
                .setWorst(diagnosis.worst().name())
                .addAllFindings(diagnosis.findings().stream()
                        .map(DoctorHandler::finding)
                        .toList())
                .build();
    }

    private static DoctorFinding finding(Finding finding) {
        return DoctorFinding.newBuilder()
                .setCheck(finding.check().id())
                .setSeverity(finding.severity().name())
                .setSummary(finding.outcome().summary())
                .addAllEvidence(finding.outcome().evidence().stream()
                        .map(DoctorHandler::evidence)
                        .toList())
                .setWhy(finding.wanting() ? finding.check().why() : "")
                .setFix(finding.fix())
                .setRepairable(finding.repairable())
                .setNotApplicable(!finding.outcome().applicable())
                .setTook(ProtoTime.duration(finding.took()))
                .build();
    }

    private static DoctorEvidence evidence(Evidence evidence) {
        DoctorEvidence.Builder wire = DoctorEvidence.newBuilder()
                .setSubject(evidence.subject())
                .setSeen(evidence.seen())
                .setSource(evidence.source());
        evidence.since().ifPresent(since -> wire.setSince(ProtoTime.timestamp(since)));
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

    static RepairFindingReply treatment(RepairResult treatment) {
        RepairFindingReply.Builder reply = RepairFindingReply.newBuilder()
                .setCheck(treatment.before().check().id())
                .setDryRun(treatment.dryRun())
                .addAllSteps(treatment.steps())
                .setBefore(finding(treatment.before()))
                .setTook(ProtoTime.duration(treatment.took()));
        treatment.after().ifPresent(after -> reply.setAfter(finding(after)));
        return reply.build();
    }
}
