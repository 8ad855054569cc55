package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import java.util.List;

/** Factories on their way out. */
final class FactoryLeaving implements Check {
    private static final About ABOUT = new About(
            "factory-leaving",
            "A factory does not come to its end",
            Severity.INFO,
            "The factories. INFO for each that leaves and still has resources.",
            "It keeps what it made until the pods that have it end; until then two factories share the node.",
            "pod list; the pods that hold it end by themselves, or are moved");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<Evidence> evidence = facts.the(EngineFacts.class).factories().stream()
                .filter(factory -> factory.role() == FactoryView.Role.LEAVING)
                .map(factory -> new Evidence(
                        factory.name(),
                        factory.resources() + " resources, " + factory.leases() + " of them lent",
                        "engine"))
                .toList();
        return Outcome.unless(
                evidence, Severity.INFO, evidence.size() + " on the way out", "one factory makes everything");
    }
}
