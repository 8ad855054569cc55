package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.StaleFacts;
import java.util.List;

/** A collection that cannot ask. */
final class GcUnconfirmed implements Check {

    private static final About ABOUT = new About(
            "gc-unconfirmed",
            "The garbage collection cannot find out whether a pod is gone",
            Severity.WARN,
            "A dry run of the garbage collection: what kept it from judging a lease, such as a pod that looks gone and cannot be asked for.",
            "The address stays lent to a pod that is gone, perhaps one that has finished, until somebody can tell.",
            "gc run; doctor apiserver-unreachable permission-missing");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<Evidence> evidence = facts.the(StaleFacts.class).problems().stream()
                .map(problem -> new Evidence("garbage collection", problem, "garbage collection"))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.WARN,
                "the garbage collection cannot judge " + Say.count(evidence.size(), "lease"),
                "the garbage collection can ask for every pod");
    }
}
