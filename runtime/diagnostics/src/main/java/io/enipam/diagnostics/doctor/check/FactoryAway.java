package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.PluginFacts;

/** A factory that is not there. */
final class FactoryAway implements Check {
    private static final About ABOUT = new About(
            "factory-away",
            "A factory cannot be opened",
            Severity.CRITICAL,
            "The factories that are needed. CRITICAL if one cannot be opened.",
            "What it made cannot be given back, and if it is the active one no address is made.",
            "plugin list; plugin info ID");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        return facts.the(PluginFacts.class)
                .factoryTrouble()
                .map(why -> Outcome.of(Severity.CRITICAL, why, new Evidence("factory", why, "plugins")))
                .orElseGet(() -> Outcome.ok("every factory that is needed is open"));
    }
}
