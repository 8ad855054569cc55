package io.enipam.frontends.rpc;

import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Doctor.Diagnosis;
import io.enipam.diagnostics.doctor.Doctor.RepairResult;
import io.enipam.diagnostics.doctor.Finding;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.v1.DoctorCheck;
import io.enipam.v1.DoctorEvidence;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RunDoctorReply;

/** The doctor on the wire. */
final class DoctorMapper {
    private DoctorMapper() {}

    static RunDoctorReply diagnosis(Diagnosis diagnosis) {
        return RunDoctorReply.newBuilder()
                .setAt(ProtoTime.timestamp(diagnosis.at()))
                .setTook(ProtoTime.duration(diagnosis.took()))
                .setWorst(diagnosis.worst().name())
                .addAllFindings(
                        diagnosis.findings().stream().map(DoctorMapper::finding).toList())
                .build();
    }

    private static DoctorFinding finding(Finding finding) {
        return DoctorFinding.newBuilder()
                .setCheck(finding.check().id())
                .setSeverity(finding.severity().name())
                .setSummary(finding.outcome().summary())
                .addAllEvidence(finding.outcome().evidence().stream()
                        .map(DoctorMapper::evidence)
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
