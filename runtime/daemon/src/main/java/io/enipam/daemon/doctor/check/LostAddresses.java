package io.enipam.daemon.doctor.check;

import io.enipam.daemon.doctor.About;
import io.enipam.daemon.doctor.Check;
import io.enipam.daemon.doctor.Evidence;
import io.enipam.daemon.doctor.Facts;
import io.enipam.daemon.doctor.Outcome;
import io.enipam.daemon.doctor.Repair;
import io.enipam.daemon.doctor.Severity;
import io.enipam.daemon.doctor.fact.DifferenceFacts;
import io.enipam.daemon.doctor.fact.EngineFacts;
import io.enipam.daemon.sources.compare.Difference;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;
import java.util.ArrayList;
import java.util.List;

/** Addresses that the cloud has taken. */
final class LostAddresses implements Check {
    private static final About ABOUT = new About(
                    "address-lost",
                    "An address is in the pool and the cloud does not have it",
                    Severity.CRITICAL,
                    "Pool against cloud, in looks that last five seconds; and what the last comparison has"
                            + " found lost (INVALID). CRITICAL if a pod has it, WARN otherwise.",
                    "The pod has no network, and the cloud may give its address to somebody else.",
                    "kubectl delete pod, for each that has one: it comes back with another address")
            .mendedBy(Repair.SYNC);

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        DifferenceFacts differences = facts.the(DifferenceFacts.class);
        List<Evidence> evidence = new ArrayList<>();
        boolean lent = false;
        for (Difference found : differences.of(Difference.Kind.ADDRESS_NOT_IN_CLOUD)) {
            lent |= found.owner().isPresent();
            evidence.addAll(Differing.evidence(found));
        }
        for (PoolView.Entry entry : facts.the(EngineFacts.class).pool().entries()) {
            if (entry.state() == ResourceState.INVALID) {
                lent |= entry.owner().isPresent();
                evidence.add(new Evidence(
                        entry.resource().id().value(),
                        "the cloud has taken it away"
                                + entry.pod()
                                        .map(pod -> ", pod " + pod + " has it")
                                        .orElse(""),
                        "pool",
                        entry.since()));
            }
        }
        if (evidence.isEmpty() && differences.silent().containsKey("cloud")) {
            return Outcome.skipped(
                    "the cloud does not say: " + differences.silent().get("cloud"));
        }
        return Outcome.unless(
                evidence,
                lent ? Severity.CRITICAL : Severity.WARN,
                lent
                        ? "a pod has an address that the cloud does not have"
                        : "the cloud has lost an address that nobody has",
                "the cloud has every address of the pool");
    }
}
