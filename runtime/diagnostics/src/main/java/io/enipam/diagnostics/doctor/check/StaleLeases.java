package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.StaleFacts;
import java.util.List;

/** Leases whose pod is gone. */
final class StaleLeases implements Check {
    private static final About ABOUT = new About(
                    "lease-stale",
                    "A pod is gone and its address is still lent",
                    Severity.WARN,
                    "Two dry runs of the garbage collection, two seconds apart. A lease that both would end"
                            + " is a finding: its pod is gone, has finished, or is another one of the same name."
                            + " Without a list of pods nothing is said.",
                    "The address is missing for new pods, and the demand it makes has ENIs created that"
                            + " nobody needs. Usually a DEL never came, or the collection cannot ask for pods.",
                    "gc run; gc status says why it did not happen by itself")
            .mendedBy(Repair.GC);

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        StaleFacts stale = facts.the(StaleFacts.class);
        List<Evidence> evidence = stale.leases().stream()
                .map(found -> new Evidence(
                        String.valueOf(found.lease().pod()),
                        "has " + found.lease().resource().id() + ", and " + found.reason(),
                        "garbage collection",
                        found.lease().since()))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Say.count(evidence.size(), "lease") + " whose pod is gone",
                "every lease has its pod");
    }
}
