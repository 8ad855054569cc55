package io.enipam.daemon.doctor.check;

import io.enipam.daemon.doctor.About;
import io.enipam.daemon.doctor.Check;
import io.enipam.daemon.doctor.Evidence;
import io.enipam.daemon.doctor.Facts;
import io.enipam.daemon.doctor.Outcome;
import io.enipam.daemon.doctor.Severity;
import io.enipam.daemon.doctor.fact.ClockFacts;
import java.time.Duration;

/** A clock that is off. */
final class ClockSkew implements Check {
    private static final Duration MUCH = Duration.ofMinutes(1);
    private static final Duration TOO_MUCH = Duration.ofMinutes(10);

    private static final About ABOUT = new About(
            "clock-skew",
            "This node's clock differs from the cloud's",
            Severity.CRITICAL,
            "The Date of the cloud's last answer. WARN from one minute on, CRITICAL from ten: at 15"
                    + " minutes the cloud refuses every call.",
            "Calls are signed with the time. Ages, minutes of the rate limit and logs are wrong as" + " well.",
            "chronyc tracking; set the clock, and keep it set (chrony, NTP)");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
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
}
