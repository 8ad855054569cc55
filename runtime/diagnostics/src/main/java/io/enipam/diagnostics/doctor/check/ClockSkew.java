package io.enipam.diagnostics.doctor.check;

import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.CallFacts;
import io.enipam.diagnostics.doctor.fact.ClockFacts;
import java.time.Duration;
import java.util.Optional;

/** A clock that is off. */
final class ClockSkew implements Check {
    private static final Duration MUCH = Duration.ofMinutes(1);
    private static final Duration TOO_MUCH = Duration.ofMinutes(10);

    private static final About ABOUT = new About(
            "clock-skew",
            "This node's clock differs from the cloud's",
            Severity.CRITICAL,
            "The Date of the cloud's last answer. WARN from one minute on, CRITICAL from ten: at 15"
                    + " minutes the cloud refuses every call. CRITICAL as well if it refused the last call for its time.",
            "Calls are signed with the time. Ages, minutes of the rate limit and logs are wrong as well.",
            "chronyc tracking; set the clock, and keep it set (chrony, NTP)");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        Optional<CloudCall> refused = facts.ifThere(CallFacts.class).flatMap(ClockSkew::refused);
        if (refused.isPresent()) {
            return Outcome.of(
                    Severity.CRITICAL,
                    "the cloud refuses calls for the time they are signed with",
                    new Evidence(
                            "clock",
                            refused.get().code() + " to " + refused.get().api(),
                            "cloud calls",
                            refused.get().at()));
        }
        Duration ahead = facts.the(ClockFacts.class).cloudAhead();
        Duration apart = ahead.abs();
        if (apart.compareTo(MUCH) < 0) {
            return Outcome.ok("it is within " + Say.span(MUCH) + " of the cloud's");
        }
        String words = "this node's clock is " + Say.span(apart) + (ahead.isNegative() ? " ahead of" : " behind")
                + " the cloud's";
        return Outcome.of(
                apart.compareTo(TOO_MUCH) < 0 ? Severity.WARN : Severity.CRITICAL,
                words,
                new Evidence("clock", words, "cloud"));
    }

    /** The last call that was answered at all, if it was refused for its time. */
    private static Optional<CloudCall> refused(CallFacts calls) {
        return calls.calls().stream()
                .filter(call -> call.attempts() > 0 && !CloudUnreachable.unanswered(call.code()))
                .findFirst()
                .filter(call -> call.code().startsWith("InvalidTimeStamp"));
    }
}
