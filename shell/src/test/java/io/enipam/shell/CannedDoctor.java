package io.enipam.shell;

import com.google.protobuf.util.Durations;
import io.enipam.v1.DoctorCheck;
import io.enipam.v1.DoctorEvidence;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.ListDoctorChecksReply;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RunDoctorReply;

/** The doctor of the fake daemon: one finding of each severity. */
final class CannedDoctor {
    private CannedDoctor() {}

    static RunDoctorReply diagnosis() {
        return RunDoctorReply.newBuilder()
                .setAt(CannedReplies.ago(0))
                .setTook(Durations.fromMillis(1234))
                .setWorst("CRITICAL")
                .addFindings(lost())
                .addFindings(stale())
                .addFindings(finding("cool-down-short", "INFO", "an address is lent again after 30s").toBuilder()
                        .setWhy("Packets of the connections of the one before.")
                        .setFix("raise pool.cool_down"))
                .addFindings(finding("kernel-rule-missing", "SKIPPED", "not applicable: no datapath").toBuilder()
                        .setNotApplicable(true))
                .addFindings(finding("eni-stuck", "OK", "no ENI is stuck"))
                .addFindings(finding("gc-late", "OK", "one runs every 5m"))
                .build();
    }

    private static DoctorFinding lost() {
        return finding("address-lost", "CRITICAL", "a pod has an address that the cloud does not have").toBuilder()
                .addEvidence(evidence("eni-1/10.0.1.4", "IN_USE by pod default/web-0", "pool"))
                .addEvidence(evidence("eni-1/10.0.1.4", "not on eni-1", "cloud").toBuilder()
                        .setSince(CannedReplies.ago(300)))
                .setWhy("The pod has no network.")
                .setFix("kubectl delete pod")
                .build();
    }

    static DoctorFinding stale() {
        return finding("lease-stale", "WARN", "1 lease of pods that are gone").toBuilder()
                .addEvidence(evidence("default/web-1", "evil\u001b[2J pod", "garbage collection"))
                .setWhy("The address is missing for new pods.")
                .setFix("gc run")
                .setRepairable(true)
                .build();
    }

    private static DoctorFinding finding(String check, String severity, String summary) {
        return DoctorFinding.newBuilder()
                .setCheck(check)
                .setSeverity(severity)
                .setSummary(summary)
                .setTook(Durations.fromMillis(3))
                .build();
    }

    private static DoctorEvidence evidence(String subject, String seen, String source) {
        return DoctorEvidence.newBuilder()
                .setSubject(subject)
                .setSeen(seen)
                .setSource(source)
                .build();
    }

    static ListDoctorChecksReply checks() {
        return ListDoctorChecksReply.newBuilder()
                .addChecks(DoctorCheck.newBuilder()
                        .setId("eni-stuck")
                        .setTitle("An ENI does not come to its end")
                        .setWorst("WARN")
                        .setLooksAt("The ENIs in the book.")
                        .setWhy("It keeps its slot.")
                        .setFix("eni show ENI"))
                .addChecks(DoctorCheck.newBuilder()
                        .setId("lease-stale")
                        .setTitle("A pod is gone and its address is still lent")
                        .setWorst("WARN")
                        .setLooksAt("Two dry runs of the garbage collection.")
                        .setWhy("The address is missing for new pods.")
                        .setFix("gc run")
                        .setRepair("Collects garbage now."))
                .build();
    }

    static RepairFindingReply repair(boolean dryRun) {
        RepairFindingReply.Builder reply = RepairFindingReply.newBuilder()
                .setCheck("lease-stale")
                .setDryRun(dryRun)
                .addSteps((dryRun ? "would end" : "ended") + " the lease of default/web-1")
                .setBefore(stale())
                .setTook(Durations.fromMillis(2100));
        if (!dryRun) {
            reply.setAfter(finding("lease-stale", "OK", "every lease has its pod"));
        }
        return reply.build();
    }
}
