package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ConfigFacts;
import java.util.ArrayList;
import java.util.List;

/** A configuration that was corrected. */
final class ConfigAdjusted implements Check {
    private static final About ABOUT = new About(
            "config-adjusted",
            "The configuration is not obeyed as written",
            Severity.INFO,
            "What the daemon changed in the configuration to make it consistent, settings of"
                    + " terway that are accepted and not acted on, and what a ConfigMap says that needs a restart.",
            "Somebody wrote it and counts on it.",
            "config show; correct eni.json or enipam.yaml; restart the daemon for what waits for it");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        ConfigFacts config = facts.the(ConfigFacts.class);
        List<Evidence> evidence = new ArrayList<>();
        config.adjusted().forEach(line -> evidence.add(new Evidence("config", line, "config")));
        config.unobeyed().forEach(key -> evidence.add(new Evidence(key, "is accepted and not acted on", "config")));
        config.pending()
                .forEach(waiting -> evidence.add(new Evidence(
                        waiting.key(),
                        "is '" + waiting.value() + "' of " + waiting.source() + " after a restart",
                        "config")));
        return Outcome.unless(
                evidence,
                Severity.INFO,
                Say.count(evidence.size(), "setting") + " not obeyed as written",
                "every setting is obeyed");
    }
}
