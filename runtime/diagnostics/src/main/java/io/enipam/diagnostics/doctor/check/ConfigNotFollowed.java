package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ConfigFacts;
import java.util.List;

/** What the cluster says of the configuration and is not in force. */
final class ConfigNotFollowed implements Check {
    private static final About ABOUT = new About(
            "config-not-followed",
            "The cluster's word on the configuration is not in force",
            Severity.WARN,
            "This node at the API server, the ConfigMap that its label terway-config names, and the addresses of services.",
            "Somebody changed the configuration of this node, and it goes on by the earlier one.",
            "config show; correct the ConfigMap or the label: it is looked at every minute");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<Evidence> evidence = facts.the(ConfigFacts.class).troubles().stream()
                .map(line -> new Evidence("config", line, "config"))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Say.count(evidence.size(), "word") + " of the cluster on the configuration not in force",
                "what the cluster says of the configuration is in force");
    }
}
