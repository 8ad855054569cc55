package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EniFacts;
import io.enipam.engine.port.EniDirectory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** ENIs that stay in a passing state. */
final class StuckEnis implements Check {
    /** The factory itself calls it stuck after one. */
    private static final Duration LONG = Duration.ofMinutes(3);

    private static final Set<String> PASSING = Set.of("Creating", "Attaching", "Detaching", "Deleting");

    private static final About ABOUT = new About(
            "eni-stuck",
            "An ENI does not come to its end",
            Severity.WARN,
            "The ENIs in the book. WARN if one is Stuck, or Creating, Attaching, Detaching or"
                    + " Deleting for more than three minutes.",
            "It keeps its slot of the instance, so the node has room for fewer pods. The daemon"
                    + " asks again every 30 s; what stays stuck for long, only the cloud can free.",
            "eni show ENI; ecs calls --failed; a ticket to the cloud with the request id if it lasts");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<Evidence> evidence = facts.the(EniFacts.class).enis().stream()
                .filter(eni -> stuck(eni, facts.now()))
                .map(eni -> new Evidence(eni.id(), eni.state(), "factory", eni.since()))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Say.count(evidence.size(), "ENI") + " on the way for too long",
                "no ENI is stuck");
    }

    private static boolean stuck(EniDirectory.Eni eni, Instant now) {
        return eni.state().equals("Stuck")
                || (PASSING.contains(eni.state()) && eni.since().plus(LONG).isBefore(now));
    }
}
