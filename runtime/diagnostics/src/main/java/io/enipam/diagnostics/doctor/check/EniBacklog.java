package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EniFacts;
import java.util.List;

/** Requests that pile up at one ENI. */
final class EniBacklog implements Check {
    private static final int LIMIT = 10;

    private static final About ABOUT = new About(
            "eni-backlog",
            "Too many requests wait for one ENI",
            Severity.WARN,
            "The queue of requests for addresses at each ENI. WARN from 10 on, which is where"
                    + " terway stops taking more.",
            "Each waits for a call of the cloud; the last ones will run into their deadlines.",
            "ecs budget; ecs calls");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<Evidence> evidence = facts.the(EniFacts.class).enis().stream()
                .filter(eni -> eni.queued() >= LIMIT)
                .map(eni -> new Evidence(eni.id(), Say.count(eni.queued(), "request") + " wait", "factory"))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.WARN,
                "requests pile up at " + Say.count(evidence.size(), "ENI"),
                "no requests pile up");
    }
}
