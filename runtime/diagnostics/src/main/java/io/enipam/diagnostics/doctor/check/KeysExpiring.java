package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.KeyFacts;
import java.time.Duration;

/** Keys about to end. */
final class KeysExpiring implements Check {
    private static final Duration SOON = Duration.ofMinutes(10);

    private static final About ABOUT = new About(
            "credentials-expiring",
            "The keys to the cloud end soon",
            Severity.CRITICAL,
            "What calls are signed with. WARN if it ends within ten minutes and nothing newer has"
                    + " come, CRITICAL if it has ended or there is nothing. Keys of the RAM role are renewed"
                    + " 20 minutes before their end, so less than ten means that renewing fails.",
            "Without keys nothing can be made or given back.",
            "check the metadata service and the RAM role of the instance, or whoever writes the"
                    + " file of credential_path");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        KeyFacts keys = facts.the(KeyFacts.class);
        if (keys.trouble().isPresent()) {
            return Outcome.of(
                    Severity.CRITICAL,
                    "there are no keys: " + keys.trouble().get(),
                    new Evidence("keys", keys.trouble().get(), "daemon"));
        }
        if (keys.expires().isEmpty()) {
            return Outcome.ok("the keys of " + keys.place() + " do not end");
        }
        Duration left = Duration.between(facts.now(), keys.expires().get());
        Evidence evidence = new Evidence(
                "keys", "of " + keys.place() + ", good until " + keys.expires().get(), "daemon");
        if (left.isNegative()) {
            return Outcome.of(Severity.CRITICAL, "the keys ended " + Say.span(left) + " ago", evidence);
        }
        return left.compareTo(SOON) < 0
                ? Outcome.of(Severity.WARN, "the keys end in " + Say.span(left) + " and were not renewed", evidence)
                : Outcome.ok("the keys are good for " + Say.span(left));
    }
}
