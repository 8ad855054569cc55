package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.PendingFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Operations without an end. */
final class PendingTooLong implements Check {
    /** A call has 20 s, and an ENI on its way a minute before it is called stuck. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final About ABOUT = new About(
            "operation-overdue",
            "Something was begun in the cloud and has no end",
            Severity.WARN,
            "Intentions and open operations in the database, looked at twice. WARN for those older"
                    + " than ten minutes.",
            "A call whose outcome nobody knows may have made something that costs and that nobody uses.",
            "ecs calls --failed; db dump --bucket operations");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        PendingFacts pending = facts.the(PendingFacts.class);
        Instant old = facts.now().minus(LONG);
        List<Evidence> evidence = new ArrayList<>();
        pending.intents().stream()
                .filter(intent -> intent.since().isBefore(old))
                .forEach(intent -> evidence.add(new Evidence(
                        intent.token(), "a " + intent.action() + " was begun", "database", intent.since())));
        pending.operations().stream()
                .filter(entry -> entry.since().isBefore(old))
                .forEach(entry -> evidence.add(new Evidence(
                        entry.operation().subject(),
                        "a call to " + entry.operation().name() + " was begun",
                        "database",
                        entry.since())));
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Say.count(evidence.size(), "operation") + " without an end",
                "nothing was begun that has no end");
    }
}
