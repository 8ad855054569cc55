package io.enipam.diagnostics.doctor;

import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.doctor.CloudChecks.CloudCalls;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.node.cluster.ClusterState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The clock of this node. */
public final class ClockChecks {
    private static final Duration API_SERVER_LIMIT = Duration.ofSeconds(30);
    private static final Duration CLOUD_LIMIT = Duration.ofMinutes(1);

    private ClockChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "apiserver-clock-skew",
                        "This node's clock differs from the API server's",
                        Severity.WARN,
                        "The Date of the API server's last answer. WARN from 30 seconds on.",
                        "Tokens are taken for expired, or for not valid yet, and the ages of events and conditions"
                                + " are wrong.",
                        "chronyc tracking; set the clock, and keep it set (chrony, NTP)",
                        ClockChecks::apiServerClock),
                new Check(
                        "clock-jumped",
                        "This node's clock was set",
                        Severity.WARN,
                        "The clock against one that never jumps, every two seconds. WARN for a jump of five seconds"
                                + " or more within the last hour, INFO for one of the last day.",
                        "Cool-downs, reservations and the times in the database are by the clock: what jumps ahead"
                                + " ends them early, what jumps back late.",
                        "chronyc tracking; let the clock be slewed, not stepped",
                        ClockChecks::clockJumped),
                new Check(
                        "clock-skew",
                        "This node's clock differs from the cloud's",
                        Severity.CRITICAL,
                        "The Date of the cloud's last answer. WARN from one minute on, CRITICAL from ten: at 15"
                                + " minutes the cloud refuses every call. CRITICAL as well if it refused the last"
                                + " call for its time.",
                        "Calls are signed with the time. Ages, minutes of the rate limit and logs are wrong as well.",
                        "chronyc tracking; set the clock, and keep it set (chrony, NTP)",
                        ClockChecks::clockSkew));
    }

    private static Outcome apiServerClock(Facts facts) {
        Duration ahead = facts.the(ClusterState.class)
                .clockAhead()
                .orElseThrow(() -> new MissingFact("no answer of the API server has had a date"));
        if (ahead.abs().compareTo(API_SERVER_LIMIT) < 0) {
            return Outcome.ok("it is within " + Figures.span(API_SERVER_LIMIT) + " of the API server's");
        }
        String words = "this node's clock is " + Figures.span(ahead) + (ahead.isNegative() ? " ahead of" : " behind")
                + " the API server's";
        return Outcome.of(Severity.WARN, words, new Evidence("clock", words, "API server"));
    }

    private static Outcome clockJumped(Facts facts) {
        List<Observations.Jump> jumps = facts.the(Observations.class).jumps().stream()
                .filter(jump -> jump.at().isAfter(facts.now().minus(Duration.ofDays(1))))
                .toList();
        boolean fresh =
                jumps.stream().anyMatch(jump -> jump.at().isAfter(facts.now().minus(Duration.ofHours(1))));
        return Outcome.each(
                jumps.stream()
                        .map(jump -> new Evidence(
                                "clock",
                                "went " + Figures.span(jump.by()) + (jump.by().isNegative() ? " back" : " ahead"),
                                "host",
                                jump.at())),
                fresh ? Severity.WARN : Severity.INFO,
                n -> "the clock was set " + Figures.count(n, "time") + " within a day",
                "the clock goes evenly");
    }

    private static Outcome clockSkew(Facts facts) {
        Optional<CloudCall> refused = facts.ifThere(CloudCalls.class).flatMap(ClockChecks::refusedForItsTime);
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
        Duration ahead = facts.the(CloudClock.class).cloudAhead();
        Duration apart = ahead.abs();
        if (apart.compareTo(CLOUD_LIMIT) < 0) {
            return Outcome.ok("it is within " + Figures.span(CLOUD_LIMIT) + " of the cloud's");
        }
        String words = "this node's clock is " + Figures.span(apart) + (ahead.isNegative() ? " ahead of" : " behind")
                + " the cloud's";
        return Outcome.of(
                apart.compareTo(Duration.ofMinutes(10)) < 0 ? Severity.WARN : Severity.CRITICAL,
                words,
                new Evidence("clock", words, "cloud"));
    }

    /** The last call that was answered at all, if it was refused for its time. */
    private static Optional<CloudCall> refusedForItsTime(CloudCalls calls) {
        return calls.calls().stream()
                .filter(call -> call.attempts() > 0 && !CloudChecks.unanswered(call.code()))
                .findFirst()
                .filter(call -> call.code().startsWith("InvalidTimeStamp"));
    }

    /** How far the cloud's clock is ahead of this node's, by the date of its last answer. */
    public record CloudClock(Duration cloudAhead) {}
}
