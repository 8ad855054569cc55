package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Figures.span;
import static io.enipam.diagnostics.doctor.Outcome.Severity.CRITICAL;
import static io.enipam.diagnostics.doctor.Outcome.Severity.INFO;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;
import static io.enipam.diagnostics.doctor.Outcome.found;
import static io.enipam.diagnostics.doctor.Outcome.ok;

import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.doctor.CloudChecks.CloudCalls;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations.Jump;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The clock of this node. */
public final class ClockChecks {
    private static final Duration API_SERVER_LIMIT = Duration.ofSeconds(30);
    private static final Duration CLOUD_LIMIT = Duration.ofMinutes(1);
    private static final Duration CLOUD_REFUSES_SOON = Duration.ofMinutes(10);

    static final List<Check> ALL = List.of(
            Check.of("apiserver-clock-skew", WARN, "This node's clock differs from the API server's")
                    .reads("The Date of the API server's last answer. WARN from 30 seconds on.")
                    .because("Tokens are taken for expired, or for not valid yet, and the ages of events and conditions"
                            + " are wrong.")
                    .advice("chronyc tracking; set the clock, and keep it set (chrony, NTP)")
                    .by(ClockChecks::apiServerClock),
            Check.of("clock-jumped", WARN, "This node's clock was set")
                    .reads("The clock against one that never jumps, every two seconds. WARN for a jump of five seconds"
                            + " or more within the last hour, INFO for one of the last day.")
                    .because("Cool-downs, reservations and the times in the database are by the clock: what jumps ahead"
                            + " ends them early, what jumps back late.")
                    .advice("chronyc tracking; let the clock be slewed, not stepped")
                    .by(ClockChecks::clockJumped),
            Check.of("clock-skew", CRITICAL, "This node's clock differs from the cloud's")
                    .reads("The Date of the cloud's last answer. WARN from one minute on, CRITICAL from ten: at 15"
                            + " minutes the cloud refuses every call. CRITICAL as well if it refused the last call for"
                            + " its time.")
                    .because("Calls are signed with the time. Ages, minutes of the rate limit and logs are wrong as"
                            + " well.")
                    .advice("chronyc tracking; set the clock, and keep it set (chrony, NTP)")
                    .by(ClockChecks::clockSkew));

    private ClockChecks() {}

    private static Outcome apiServerClock(Facts facts) {
        Duration ahead = facts.the(ClusterState.class)
                .clockAhead()
                .orElseThrow(() -> new MissingFact("no answer of the API server has had a date"));
        return differs(ahead, API_SERVER_LIMIT, WARN, "API server");
    }

    private static Outcome differs(Duration ahead, Duration limit, Severity severity, String whose) {
        if (ahead.abs().compareTo(limit) < 0) {
            return ok("it is within " + span(limit) + " of the " + whose + "'s");
        }
        String seen = "this node's clock is " + span(ahead) + (ahead.isNegative() ? " ahead of" : " behind") + " the "
                + whose + "'s";
        return found(severity, seen, new Evidence("clock", seen, whose));
    }

    private static Outcome clockJumped(Facts facts) {
        List<Jump> jumps = facts.the(Observations.class).jumps().stream()
                .filter(jump -> jump.at().isAfter(facts.now().minus(Duration.ofDays(1))))
                .toList();
        boolean fresh =
                jumps.stream().anyMatch(jump -> jump.at().isAfter(facts.now().minus(Duration.ofHours(1))));
        return each(
                jumps.stream().map(ClockChecks::jump),
                fresh ? WARN : INFO,
                n -> "the clock was set " + count(n, "time") + " within a day",
                "the clock goes evenly");
    }

    private static Evidence jump(Jump jump) {
        String went = "went " + span(jump.by()) + (jump.by().isNegative() ? " back" : " ahead");
        return new Evidence("clock", went, "host", jump.at());
    }

    private static Outcome clockSkew(Facts facts) {
        Optional<CloudCall> refused = facts.ifThere(CloudCalls.class).flatMap(ClockChecks::refusedForItsTime);
        if (refused.isPresent()) {
            CloudCall call = refused.get();
            return found(
                    CRITICAL,
                    "the cloud refuses calls for the time they are signed with",
                    new Evidence("clock", call.code() + " to " + call.api(), "cloud calls", call.at()));
        }
        Duration ahead = facts.the(CloudClock.class).cloudAhead();
        return differs(ahead, CLOUD_LIMIT, ahead.abs().compareTo(CLOUD_REFUSES_SOON) < 0 ? WARN : CRITICAL, "cloud");
    }

    /** The last call that was answered at all, if it was refused for its time. */
    private static Optional<CloudCall> refusedForItsTime(CloudCalls calls) {
        return calls.calls().stream()
                .filter(call -> call.attempts() > 0 && !CloudChecks.unanswered(call.code()))
                .findFirst()
                .filter(call -> call.code().startsWith("InvalidTimeStamp"));
    }

    public record CloudClock(Duration cloudAhead) {}
}
