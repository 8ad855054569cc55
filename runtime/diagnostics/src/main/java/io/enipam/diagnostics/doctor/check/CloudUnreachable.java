package io.enipam.diagnostics.doctor.check;

import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.CallFacts;
import java.time.Duration;
import java.util.List;

/** A cloud out of reach. */
final class CloudUnreachable implements Check {
    private static final Duration RECENT = Duration.ofMinutes(5);
    private static final int ENOUGH = 3;

    private static final About ABOUT = new About(
            "cloud-unreachable",
            "The cloud does not answer",
            Severity.CRITICAL,
            "Why the cloud cannot be used, if the daemon knows, and the calls of the last five"
                    + " minutes. CRITICAL if it cannot be used, or the last three calls or more got no"
                    + " answer: no connection, a timeout, an error of the server.",
            "No address can be made or given back. Pods start as long as idle addresses last, and DEL goes on.",
            "ecs calls --failed; check DNS, the route and the security group of this node towards"
                    + " the API endpoint");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        CallFacts calls = facts.the(CallFacts.class);
        if (!calls.used()) {
            return Outcome.skipped("no address of this node comes from the cloud");
        }
        if (calls.trouble().isPresent()) {
            return Outcome.of(
                    Severity.CRITICAL,
                    "the cloud cannot be used: " + calls.trouble().get(),
                    new Evidence("cloud", calls.trouble().get(), "daemon"));
        }
        List<CloudCall> recent = calls.calls().stream()
                .filter(call ->
                        call.attempts() > 0 && call.at().isAfter(facts.now().minus(RECENT)))
                .toList();
        List<CloudCall> unanswered =
                recent.stream().takeWhile(call -> unanswered(call.code())).toList();
        return unanswered.size() < ENOUGH
                ? Outcome.ok("the last calls were answered")
                : Outcome.of(
                        Severity.CRITICAL,
                        "the last " + unanswered.size() + " calls got no answer",
                        unanswered.stream()
                                .limit(5)
                                .map(CloudUnreachable::evidence)
                                .toList());
    }

    /** What the client, a proxy or the server's other end says, and no API ever would. */
    static boolean unanswered(String code) {
        return code.startsWith("SDK.") || code.equals("InternalError") || code.equals("ServiceUnavailable");
    }

    private static Evidence evidence(CloudCall call) {
        return new Evidence(
                call.api(), call.code() + " after " + Say.count(call.attempts(), "attempt"), "cloud calls", call.at());
    }
}
