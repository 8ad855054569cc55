package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.MissingFact;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ClusterFacts;
import java.time.Duration;

/** A clock that differs from that of the API server. */
final class ApiServerClock implements Check {
    private static final Duration MUCH = Duration.ofSeconds(30);

    private static final About ABOUT = new About(
            "apiserver-clock-skew",
            "This node's clock differs from the API server's",
            Severity.WARN,
            "The Date of the API server's last answer. WARN from 30 seconds on.",
            "Tokens are taken for expired, or for not valid yet, and the ages of events and conditions are wrong.",
            "chronyc tracking; set the clock, and keep it set (chrony, NTP)");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        Duration ahead = facts.the(ClusterFacts.class)
                .state()
                .clockAhead()
                .orElseThrow(() -> new MissingFact("no answer of the API server has had a date"));
        if (ahead.abs().compareTo(MUCH) < 0) {
            return Outcome.ok("it is within " + Say.span(MUCH) + " of the API server's");
        }
        String words = "this node's clock is " + Say.span(ahead) + (ahead.isNegative() ? " ahead of" : " behind")
                + " the API server's";
        return Outcome.of(Severity.WARN, words, new Evidence("clock", words, ApiAnswers.SOURCE));
    }
}
