package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.WatchFacts;
import java.time.Duration;
import java.util.List;

/** A clock that jumps. */
final class ClockJumped implements Check {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private static final About ABOUT = new About(
            "clock-jumped",
            "This node's clock was set",
            Severity.WARN,
            "The clock against one that never jumps, every two seconds. WARN for a jump of five"
                    + " seconds or more within the last hour, INFO for one of the last day.",
            "Cool-downs, reservations and the times in the database are by the clock: what jumps"
                    + " ahead ends them early, what jumps back late.",
            "chronyc tracking; let the clock be slewed, not stepped");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<WatchFacts.Jump> jumps = facts.the(WatchFacts.class).jumps().stream()
                .filter(jump -> jump.at().isAfter(facts.now().minus(DAY)))
                .toList();
        boolean fresh =
                jumps.stream().anyMatch(jump -> jump.at().isAfter(facts.now().minus(HOUR)));
        List<Evidence> evidence = jumps.stream()
                .map(jump -> new Evidence(
                        "clock",
                        "went " + Say.span(jump.by()) + (jump.by().isNegative() ? " back" : " ahead"),
                        "host",
                        jump.at()))
                .toList();
        return Outcome.unless(
                evidence,
                fresh ? Severity.WARN : Severity.INFO,
                "the clock was set " + Say.count(evidence.size(), "time") + " within a day",
                "the clock goes evenly");
    }
}
