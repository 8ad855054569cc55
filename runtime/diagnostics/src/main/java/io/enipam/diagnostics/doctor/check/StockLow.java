package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.diagnostics.doctor.fact.OrderFacts;
import io.enipam.diagnostics.doctor.fact.WatchFacts;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A stock that is not filled up. */
final class StockLow implements Check {
    private static final Duration LONG = Duration.ofMinutes(5);

    private static final About ABOUT = new About(
            "stock-low",
            "Fewer addresses are idle than wanted",
            Severity.WARN,
            "The idle addresses, looked at every two seconds. WARN if at each look for five minutes"
                    + " there were fewer than the lower watermark wants, and nobody had the pool drained.",
            "A burst of pods finds no stock, and each has to wait for the cloud.",
            "ecs calls --failed; pool show");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        if (facts.ifThere(OrderFacts.class).filter(OrderFacts::drained).isPresent()) {
            return Outcome.ok("none is wanted: the pool is drained; see pool-drained");
        }
        EngineFacts engine = facts.the(EngineFacts.class);
        Optional<Instant> since = facts.the(WatchFacts.class).belowSince();
        Duration below =
                since.map(begun -> Duration.between(begun, facts.now())).orElse(Duration.ZERO);
        PoolView pool = engine.pool();
        String figures = pool.count(ResourceState.IDLE) + " idle, at least " + pool.minIdle() + " wanted";
        return below.compareTo(LONG) < 0
                ? Outcome.ok(figures)
                : Outcome.of(
                        Severity.WARN,
                        figures + ", for " + Say.span(below),
                        new Evidence("pool", figures, "pool", since));
    }
}
