package io.enipam.diagnostics.doctor.check;

import io.enipam.aliyun.api.ErrorReactions;
import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.CallFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A cloud that says no. */
final class CloudRefuses implements Check {
    private static final Duration RECENT = Duration.ofMinutes(10);
    private static final int ENOUGH = 5;

    private static final About ABOUT = new About(
            "cloud-refuses",
            "The cloud refuses what this node asks",
            Severity.CRITICAL,
            "The calls of the last ten minutes. CRITICAL if the keys are refused or RAM forbids an"
                    + " action, unless the same API has worked since; WARN if half of the calls, and at least"
                    + " five, failed in whatever way.",
            "Nothing can be made or given back with keys that are refused; a high rate of failures"
                    + " makes every pod wait.",
            "ecs calls --failed; check the RAM policy, the keys (config show | grep"
                    + " 'access|credential') and the quotas of the account");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        Instant since = facts.now().minus(RECENT);
        List<CloudCall> recent = facts.the(CallFacts.class).calls().stream()
                .filter(call -> (call.attempts() > 0 || refusal(call.code()))
                        && call.at().isAfter(since))
                .toList();
        List<CloudCall> refused = recent.stream()
                .filter(call -> refusal(call.code()) && stands(call, recent))
                .toList();
        if (!refused.isEmpty()) {
            return Outcome.of(
                    Severity.CRITICAL,
                    "the cloud refuses "
                            + Say.list(refused.stream()
                                    .map(CloudCall::api)
                                    .distinct()
                                    .toList()),
                    refused.stream().limit(5).map(CloudRefuses::evidence).toList());
        }
        List<CloudCall> failed = recent.stream().filter(CloudCall::failed).toList();
        boolean many = failed.size() >= ENOUGH && failed.size() * 2 >= recent.size();
        return many
                ? Outcome.of(
                        Severity.WARN,
                        failed.size() + " of the last " + recent.size() + " calls failed",
                        failed.stream().limit(5).map(CloudRefuses::evidence).toList())
                : Outcome.ok(
                        failed.size() + " of " + Say.count(recent.size(), "call") + " failed in the last ten minutes");
    }

    private static boolean refusal(String code) {
        return code.startsWith("Forbidden")
                || code.startsWith("InvalidAccessKey")
                || code.startsWith("InvalidSecurityToken")
                || code.startsWith("InvalidTimeStamp")
                || code.equals("SignatureDoesNotMatch")
                || code.equals(ErrorReactions.NO_CREDENTIALS);
    }

    /** Whether no call of the same API has worked after it. */
    private static boolean stands(CloudCall refused, List<CloudCall> recent) {
        return recent.stream()
                .noneMatch(call ->
                        !call.failed() && call.api().equals(refused.api()) && call.sequence() > refused.sequence());
    }

    private static Evidence evidence(CloudCall call) {
        return new Evidence(
                call.api(),
                call.code() + (call.requestId().isEmpty() ? "" : ", request " + call.requestId()),
                "cloud calls",
                call.at());
    }
}
