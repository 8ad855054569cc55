package io.enipam.diagnostics.doctor.check;

import io.enipam.aliyun.calls.ApiQuotaStatus;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.CallFacts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Throttling. */
final class ApiThrottled implements Check {
    private static final About ABOUT = new About(
            "api-throttled",
            "The cloud throttles this node",
            Severity.WARN,
            "The budget of each API. WARN while an API may not be called because the cloud has"
                    + " throttled it, or while throttling has left it less than half of its limit.",
            "The account's quota is shared by all its nodes; while it lasts, addresses are made"
                    + " late or not at all.",
            "ecs budget; lower rate_limit on all nodes, or have the quota raised; keep more in"
                    + " stock with pool.min_idle");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<Evidence> evidence = new ArrayList<>();
        for (ApiQuotaStatus api : facts.the(CallFacts.class).budgets()) {
            if (api.quota().inhibitedUntil().isPresent()) {
                Duration left =
                        Duration.between(facts.now(), api.quota().inhibitedUntil().get());
                evidence.add(new Evidence(
                        api.api(),
                        "may not be called for " + Say.span(left.isNegative() ? Duration.ZERO : left),
                        "cloud calls"));
            } else if (api.quota().allowed() * 2 < api.quota().limit() && api.throttles() > 0) {
                evidence.add(new Evidence(
                        api.api(),
                        api.quota().allowed() + " calls a minute are left of " + api.quota().limit() + " after throttling",
                        "cloud calls"));
            }
        }
        return Outcome.unless(
                evidence, Severity.WARN, Say.count(evidence.size(), "API") + " throttled", "no API is throttled");
    }
}
