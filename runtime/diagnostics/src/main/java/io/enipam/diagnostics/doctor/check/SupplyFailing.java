package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;

/** A factory that makes nothing. */
final class SupplyFailing implements Check {
    private static final int ENOUGH = 3;

    private static final About ABOUT = new About(
            "supply-failing",
            "Nothing can be made",
            Severity.WARN,
            "The last tries to make an address or an ENI. WARN if three in a row failed.",
            "Pods start as long as idle addresses last.",
            "ecs calls --failed; events; vswitch-low, api-throttled and cloud-refuses tell the usual causes");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        return facts.the(EngineFacts.class)
                .agenda()
                .createTrouble()
                .filter(trouble -> trouble.failures() >= ENOUGH)
                .map(trouble -> Outcome.of(
                        Severity.WARN,
                        trouble.failures() + " tries in a row to make an address failed",
                        new Evidence("factory", trouble.kind() + ": " + trouble.message(), "engine", trouble.at())))
                .orElseGet(() -> Outcome.ok("what is asked for is made"));
    }
}
