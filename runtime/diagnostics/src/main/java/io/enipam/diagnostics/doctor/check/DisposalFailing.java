package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import java.util.ArrayList;
import java.util.List;

/** Disposals that fail again and again. */
final class DisposalFailing implements Check {
    private static final int ENOUGH = 3;

    private static final About ABOUT = new About(
            "disposal-failing",
            "An address cannot be given back",
            Severity.WARN,
            "Resources on their way back to the cloud. WARN if three tries in a row failed for one.",
            "It holds its place in the pool and on the ENI.",
            "ecs calls --failed; eni list");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<Evidence> evidence = new ArrayList<>();
        facts.the(EngineFacts.class).agenda().disposals().forEach((id, setback) -> {
            if (setback.failures() >= ENOUGH) {
                evidence.add(new Evidence(
                        id.value(),
                        setback.failures() + " tries failed: " + setback.message(),
                        "engine",
                        setback.at()));
            }
        });
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Say.count(evidence.size(), "resource") + " that cannot be given back",
                "what goes back goes");
    }
}
