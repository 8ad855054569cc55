package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.PluginFacts;

/** A policy that stands in. */
final class PolicyFallback implements Check {
    private static final About ABOUT = new About(
                    "policy-fallback",
                    "Another policy is in force than the one chosen",
                    Severity.WARN,
                    "The selected policy and the one in force. WARN if they differ, since the selected one"
                            + " could not be opened.",
                    "The pool is kept by the built-in rules, and not as somebody decided.",
                    "plugin list; pool policy NAME opens it again")
            .mendedBy(Repair.POLICY);

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        PluginFacts plugins = facts.the(PluginFacts.class);
        if (plugins.selected().equals(plugins.inForce())) {
            return Outcome.ok("the policy in force is " + plugins.inForce());
        }
        return Outcome.of(
                        Severity.WARN,
                        plugins.inForce() + " stands in for " + plugins.selected(),
                        new Evidence(plugins.selected(), "was selected and could not be opened", "selection"))
                .fixedBy("plugin list; pool policy " + plugins.selected());
    }
}
