package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.CallFacts;
import java.util.List;

/** A budget that runs out. */
final class ApiBudgetLow implements Check {
    private static final long USED_UP = 80;

    private static final About ABOUT = new About(
            "api-budget-low",
            "An API's calls of this minute are nearly used up",
            Severity.WARN,
            "The budget of each API. WARN if more than 80 percent of the calls that this minute"
                    + " allows are used, or none is left.",
            "What is beyond the budget waits for the next minute, and pods with it.",
            "ecs budget; ecs calls; raise rate_limit if the account allows it");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<Evidence> evidence = facts.the(CallFacts.class).budgets().stream()
                .filter(api -> api.quota().inhibitedUntil().isEmpty() && api.quota().used() * 100L > api.quota().allowed() * USED_UP)
                .map(api -> new Evidence(
                        api.api(),
                        api.quota().used() + " of " + api.quota().allowed() + " calls are used, " + api.quota().left() + " left",
                        "cloud calls"))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Say.count(evidence.size(), "API") + " with hardly a call left this minute",
                "every API has calls left");
    }
}
