package io.enipam.daemon.doctor.check;

import io.enipam.daemon.doctor.About;
import io.enipam.daemon.doctor.Check;
import io.enipam.daemon.doctor.Evidence;
import io.enipam.daemon.doctor.Facts;
import io.enipam.daemon.doctor.Outcome;
import io.enipam.daemon.doctor.Severity;
import io.enipam.daemon.doctor.fact.PluginFacts;

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
