package io.enipam.diagnostics.doctor.check;

import io.enipam.aliyun.CloudProbe;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.diagnostics.doctor.fact.LimitFacts;
import java.util.ArrayList;
import java.util.List;

/** Capacity that is not used. */
final class CapacityReduced implements Check {
    private static final About ABOUT = new About(
            "capacity-reduced",
            "The node may have fewer addresses than its type allows",
            Severity.INFO,
            "Instance type and configuration. INFO if max_eni, eni_cap_ratio, eni_cap_shift or"
                    + " pool.capacity leave less than the instance type allows.",
            "It may be meant so; if not, pods find no room on a node that would have some.",
            "config show | grep 'eni|capacity'");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        CloudProbe.Limits limits = facts.the(LimitFacts.class).limits();
        int bound = facts.the(EngineFacts.class).config().maxCapacity();
        int possible = limits.typeEnis() * limits.ipv4PerEni();
        List<Evidence> evidence = new ArrayList<>();
        if (limits.maxEnis() < limits.typeEnis()) {
            evidence.add(new Evidence(
                    "ENIs",
                    limits.maxEnis() + " in force, " + limits.instanceType() + " allows " + limits.typeEnis()
                            + " beside the primary one",
                    "config"));
        }
        if (bound < possible) {
            evidence.add(new Evidence(
                    "pool.capacity", bound + ", " + limits.instanceType() + " allows " + possible, "config"));
        }
        return Outcome.unless(
                evidence,
                Severity.INFO,
                "the configuration leaves less than " + limits.instanceType() + " allows",
                limits.instanceType() + " allows " + possible + " addresses, and nothing holds them back");
    }
}
